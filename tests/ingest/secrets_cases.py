"""Texts with a secret, and texts that only look as if they had one: labelled by hand.

Tokens are made up here, in two parts, so that no scanner of repositories takes them for real.
"""

from __future__ import annotations

import base64
import random

_RANDOM = random.Random(20)
_ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def _made(prefix: str, length: int, alphabet: str = _ALPHANUMERIC) -> str:
    body = "".join(_RANDOM.choice(alphabet) for _ in range(length - 2))
    return prefix + body[: length // 2] + "a7" + body[length // 2 :]


def _hex(length: int) -> str:
    return _made("", length, "0123456789abcdef")


def _part(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


GITHUB = _made("ghp_", 36)
JWT = ".".join((_part('{"alg":"HS256","typ":"JWT"}'), _part('{"sub":"42"}'), _made("", 43)))
PEM = "\n".join(
    ("-----BEGIN RSA PRIVATE " + "KEY-----", _made("", 64), _made("", 64), _made("", 30) + "==")
)
PEM_END = "\n-----END RSA PRIVATE KEY-----"
BASIC = base64.b64encode(b"admin:opensesame").decode()

SECRETS: tuple[tuple[str, str], ...] = tuple(
    (text.format(secret=secret), secret)
    for text, secret in (
        # passwords, as people tell them
        ("My password is {secret}.", "hunter2"),
        ("my password is {secret}, please don't tell anyone", "swordfish"),
        ("The wifi password is {secret}", "BlueHouse!77"),
        ("the password for the staging server is {secret} btw", "Tr0ub4dor&3"),
        ("password: {secret}", "letmein99"),
        ("Username: ana\nPassword: {secret}", "gr33nT3a"),
        ("pwd: {secret}", "qwerty123"),
        ("pw = {secret}", "abc$1234"),
        ("I changed my password to {secret} last night.", "Winter2024!"),
        ("Please reset the password to '{secret}'.", "new horizon 9"),
        ("You can log in with user bob and password {secret}", "s3cretPie"),
        ("{secret} is my password for everything", "Fluffy1987"),
        ("use {secret} as the password", "kittens4all"),
        ("My Netflix password's {secret}", "popcorn55"),
        ('My password is "{secret}".', "open the door"),
        ("our passcode for the alarm is {secret}", "77821"),
        ("my passphrase is {secret}", "correct horse battery staple"),
        ("Passwort: {secret}", "geheim2020"),
        ("Mein Passwort ist {secret}.", "Hund123"),
        ("mi contraseña es {secret}", "perro2021"),
        ("mon mot de passe est {secret}", "soleil42"),
        ("minha senha é {secret}", "gato!2022"),
        ("мой пароль: {secret}", "medved77"),
        ("密码是{secret}", "xiaoming88"),
        ("The door password was {secret} until May.", "4471199"),
        # numbers
        ("my PIN is {secret}", "4821"),
        ("PIN: {secret}", "903312"),
        ("the pin for my debit card is {secret}, remember it", "7710"),
        ("Your verification code is {secret}", "482913"),
        ("The card is {secret}, exp 04/27", "4242 4242 4242 4242"),
        ("Charge it to {secret} please", "5555-5555-5555-4444"),
        ("amex {secret}", "378282246310005"),
        ("visa card number: {secret}", "4111111111111111"),
        ("the CVV is {secret}", "737"),
        ("security code: {secret}", "1234"),
        # tokens with a form of their own
        ("here is my token {secret}, use it for the repo", GITHUB),
        ("github: {secret}", _made("github_pat_", 82)),
        ("gitlab {secret}", _made("glpat-", 20)),
        ("aws access key {secret}", "AKIA" + "QYLPMN5HHHFPZAM2"),
        ("AWS_SECRET_ACCESS_KEY={secret}", _made("", 40)),
        ("my openai key is {secret}", _made("sk-proj-", 48)),
        ("set ANTHROPIC_API_KEY to {secret}", _made("sk-ant-api03-", 90)),
        ("slack bot: {secret}", "xoxb-" + "123456789012-123456789012-" + _made("", 24)),
        ("hook {secret}", "https://hooks.slack.com/" + "services/T0A1B2C3/B0A1B2/" + _made("", 24)),
        ("stripe says {secret}", _made("sk_live_", 24)),
        ("google maps key {secret}", _made("AIza", 35)),
        ("{secret} is the hugging face token", _made("hf_", 34)),
        ("npm publish with {secret}", _made("npm_", 36)),
        ("pypi token {secret}", _made("pypi-" + "AgEIcHlwaS5vcmc", 80)),
        ("sendgrid {secret}", "SG." + _made("", 22) + "." + _made("", 43)),
        ("telegram bot {secret}", "123456789:" + _made("AA", 33)),
        ("the cookie held {secret}", JWT),
        ("digital ocean: {secret}", "dop_v1_" + _hex(64)),
        # keys, headers, addresses, settings
        ("{secret}", PEM + PEM_END),
        ("I pasted this:\n{secret}", PEM),
        ("Authorization: Bearer {secret}", _made("", 40)),
        ("curl -H 'Authorization: Basic {secret}' https://example.org", BASIC),
        ("curl -u ana:{secret} https://example.org/api", "wonder4land"),
        ("X-Api-Key: {secret}", _hex(32)),
        ("DATABASE_URL=postgres://app:{secret}@db.internal:5432/app", "p4ssw0rd"),
        ("redis://:{secret}@cache:6379/0", "r3dis-pass"),
        ("Server=db;Database=app;User Id=sa;Password={secret};", "Adm1n!Adm1n"),
        ("AccountName=x;AccountKey={secret};EndpointSuffix=core", _made("", 86) + "=="),
        ("https://api.example.com/v1/items?api_key={secret}&page=2", _hex(32)),
        ("api_key: '{secret}'", _hex(32)),
        ("client_secret = \"{secret}\"", _made("", 32)),
        ('{{"user": "ana", "password": "{secret}"}}', "caf3-au-lait"),
        ("export DB_PASSWORD={secret}", "Sup3rS3cret"),
        ("mysql --password={secret} -u root", "r00tr00t"),
        ("my api token is {secret}", _hex(40)),
        ("The seed phrase is {secret}", "legal winner thank year wave sausage worth useful legal "
         "winner thank yellow"),
    )
)  # fmt: skip

NEAR_MISSES: tuple[str, ...] = (
    # talk about passwords
    "I forgot my password again.",
    "My password is too weak.",
    "The password is incorrect.",
    "My password was changed three times this month.",
    "The password is case-sensitive.",
    "Your password must be at least 8 characters long.",
    "Password: required",
    "password: must contain a digit",
    "A good password is long.",
    "Use a password manager like Bitwarden.",
    "I reset my password yesterday and it works now.",
    "The secret to a good password is randomness.",
    "I changed my password to something stronger.",
    "The password for the wifi is on the fridge.",
    "My passport is expired.",
    "Could you send me the password to the shared folder?",
    "passwords are stored hashed with bcrypt",
    "I sent the password to bob@example.com.",
    "password_hash = bcrypt.hash(password)",
    'password = os.environ["DB_PASSWORD"]',
    "password = getpass.getpass()",
    "def login(username: str, password: str) -> bool:",
    "password: <your password>",
    "PASSWORD=${DB_PASSWORD}",
    "password: ********",
    "SELECT * FROM users WHERE password = '$pass'",
    "Reset it here: https://example.com/password/reset",
    "I bypassed Paris and passed through Lyon in 2019.",
    "My boarding pass is B23.",
    # keys and tokens that are none
    "The key to happiness is patience.",
    "The model reads 128000 tokens.",
    "token limit: 4096",
    "max_tokens=2048, temperature=0.7",
    "The secret ingredient is cinnamon.",
    "secret santa is on 2024-12-20",
    "API_KEY=<API_KEY_1>",
    "api_key: YOUR_API_KEY",
    "Set api_key to your key.",
    "The access key is in the safe.",
    "primary key: user_id",
    "The monkey: 12345678",
    "bearer of good news, token of appreciation",
    "I have a basic understanding of chess.",
    # numbers that are none
    "PIN code 110001, New Delhi",
    "I pinned 4821 photos on the board.",
    "Order 4000123412341234 has shipped.",
    "My order number is 4111111111111111.",
    "Call me at +1 415 555 2671.",
    "Tracking: 1Z999AA10123456784",
    "IMEI 353918052107063",
    "The ISBN is 978-3-16-148410-0.",
    "It happened at 1701234567890123 microseconds.",
    "My number is 4242 4242 4242 4241.",
    "Discord message 1140839283749283749",
    "IBAN DE89 3704 0044 0532 0130 00",
    "The year 2024, room 1234, flight LH4821.",
    "Pi is 3.1415926535897932.",
    # random-looking strings that are none
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes it",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "md5 d41d8cd98f00b204e9800998ecf8427e",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    "https://example.com/a/b?utm_source=newsletter&utm_campaign=spring2024sale&id=889234412",
    "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    "git@github.com:acme/bitempo.git",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7Xv9Yk0l2VqZr8c1Qw4tB6nF5sH3mD2kE7uT9yR1aZ ana@laptop",
    "![chart](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk)",
    "-----BEGIN CERTIFICATE-----\nMIIDXTCCAkWgAwIBAgIJAJC1HiIAZAiIMA0GCSqGSIb3DQEBBQUAMEUxCzAJ\n"
    "-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf\n"
    "-----END PUBLIC KEY-----",
    "postgres://db.internal:5432/app",
    "Meet me at 10:30@the station, see http://example.com:8080/path",
    "arn:aws:iam::123456789012:role/reader",
    "0x742d35Cc6634C0532925a3b844Bc9e7595f2bD18 is my wallet address",
    "bitcoin to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "S3 bucket my-company-backups-2024-eu-west-1",
    "python-dateutil==2.9.0.post0",
    "The fingerprint is SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
    "llama-3.1-70b-instruct-q4_K_M.gguf",
    "sk-learn is scikit-learn, and task-force-1 is risk-averse-2024-planning",
)
