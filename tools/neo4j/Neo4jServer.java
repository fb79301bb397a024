import static org.neo4j.configuration.connectors.BoltConnectorInternalSettings.thread_pool_shutdown_wait_time;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphdb.QueryExecutionException;

/**
 * A community server on one home folder, with Bolt on a loopback port and authentication on.
 *
 * <p>Arguments: home, port, page cache in bytes, "attached" or "detached", and how many seconds a
 * plan is kept whatever becomes of the statistics. The first line of standard input is the password
 * of the user neo4j. Prints "ready" on standard output once Bolt
 * answers and the password holds. An attached server also stops when standard input ends, so that
 * it never outlives the program that started it.
 */
final class Neo4jServer {
    public static void main(String[] args) {
        try {
            var plans = Duration.ofSeconds(Long.parseLong(args[4]));
            serve(args[0], Integer.parseInt(args[1]), Long.parseLong(args[2]), args[3], plans);
        } catch (Exception failure) {
            // Threads of a half started server would keep the process alive.
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void serve(
            String home, int port, long pageCache, String manner, Duration plans)
            throws IOException, InterruptedException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var password = input.readLine();
        var address = new SocketAddress("127.0.0.1", port);
        var server = new DatabaseManagementServiceBuilder(Path.of(home))
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, address)
                .setConfig(BoltConnector.advertised_address, address)
                .setConfig(GraphDatabaseSettings.auth_enabled, true)
                .setConfig(GraphDatabaseSettings.pagecache_memory, pageCache)
                .setConfig(GraphDatabaseSettings.cypher_min_replan_interval, plans)
                // Stopping waits this long for each connector, five seconds unless told.
                .setConfig(thread_pool_shutdown_wait_time, Duration.ofMillis(100))
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        setPassword(server, password);
        System.out.println("ready");
        if (manner.equals("detached")) {
            new CountDownLatch(1).await();
        }
        while (input.readLine() != null) {}
        System.exit(0);
    }

    private static void setPassword(DatabaseManagementService server, String password) {
        try {
            server.database(GraphDatabaseSettings.SYSTEM_DATABASE_NAME).executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
                    Map.of("password", password));
        } catch (QueryExecutionException refused) {
            // A later start on the same home gives the password that holds already.
            if (!String.valueOf(refused.getMessage()).contains("cannot be the same")) {
                throw refused;
            }
        }
    }
}
