"""The words that tell names apart or together: short forms, roles, titles, marks and types.

The tables are English. A name in another language is compared by its spelling alone, and what
that leaves open is for a model.
"""

from __future__ import annotations

from collections import defaultdict

_SHORT_FORMS = """
abby abigail; abe abraham; al albert alan alfred; alex alexander alexandra alexandria alexis;
allie alison allison; andy andrew; angie angela; art arthur; barb barbara; bart bartholomew;
becky rebecca; ben benjamin; bert albert robert; beth elizabeth bethany; betty elizabeth;
bill william; billy william; bob robert; bobby robert; brad bradley; caro caroline carolina;
carrie caroline; cass cassandra; cathy catherine; charlie charles charlotte; chris christopher
christina christine christian; chuck charles; cindy cynthia; dan daniel; danny daniel;
dave david; deb deborah; debbie deborah; dick richard; don donald; dot dorothy; doug douglas;
drew andrew; ed edward edwin edgar; eddie edward; ella eleanor; ellie eleanor elizabeth; emmy emily;
frank francis franklin; fred frederick alfred; gabe gabriel; gabby gabriella gabrielle;
gene eugene; geoff geoffrey; gina regina; greg gregory; gwen gwendolyn; hal harold henry;
hank henry; harry harold henry harrison; izzy isabel isabella isabelle; jack john jackson;
jake jacob; jamie james; jeff jeffrey; jen jennifer; jenny jennifer; jerry gerald jerome;
jess jessica; jessie jessica; jill jillian; jim james; jimmy james; jo joanna joanne josephine;
joe joseph; joey joseph; johnny john; jon jonathan; josh joshua; judy judith; kate katherine
catherine kathryn; kathy katherine kathryn; katie katherine kathryn; ken kenneth; kenny kenneth;
kim kimberly; kris kristen kristina kristopher; larry lawrence; len leonard; leo leonard leonardo;
liam william; lexi alexis alexandra; lex alexander; lily lillian; liz elizabeth; lizzy elizabeth;
lou louis louise; luke lucas; maddie madeline madison; maggie margaret; mandy amanda; marge
margaret; matt matthew; max maximilian maxwell; meg megan margaret; mel melanie melissa melvin
melinda; mick michael; mickey michael; mike michael; mitch mitchell; molly mary; nan nancy;
nate nathan nathaniel; ned edward; nell eleanor helen; nick nicholas; nicky nicholas nicole;
pam pamela; pat patrick patricia; patty patricia; peg margaret; peggy margaret; pete peter;
phil philip phillip; polly mary; ray raymond; reg reginald; rich richard; rick richard;
ricky richard; rob robert; robbie robert; ron ronald; ronnie ronald; rosie rose rosemary;
sal salvatore sally; sally sarah; sam samuel samantha; sammy samuel samantha; sandy sandra;
seb sebastian; shelly michelle; sid sidney; stan stanley; steph stephanie; steve steven stephen;
stu stuart; sue susan suzanne; susie susan; tad thaddeus; ted theodore edward; teddy theodore;
teri theresa; terry terence theresa; theo theodore; tim timothy; tina christina martina; toby
tobias; tom thomas; tommy thomas; tony anthony; tori victoria; tracy theresa; trish patricia;
val valerie valentina; vic victor; vicky victoria; vince vincent; viv vivian; walt walter;
wendy gwendolyn; wes wesley; will william; zach zachary; zack zachary; zoe zoey
"""


def _short_forms() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    full: dict[str, frozenset[str]] = {}
    short: dict[str, set[str]] = defaultdict(set)
    for entry in _SHORT_FORMS.split(";"):
        form, *names = entry.split()
        full[form] = frozenset(names)
        for name in names:
            short[name].add(form)
    return full, {name: frozenset(forms) for name, forms in short.items()}


FULL_NAMES, SHORT_FORMS = _short_forms()
"""Short form -> the given names it stands for, and the other way round."""

TITLES = frozenset(
    "mr mrs ms miss mx dr prof professor doctor sir lord lady rev reverend father sister brother "
    "captain capt sgt sergeant lt lieutenant coach judge president senator".split()
)
MALE_TITLES = frozenset("mr sir lord father brother".split())
FEMALE_TITLES = frozenset("mrs ms miss lady sister".split())

ARTICLES = {"the": "the"} | dict.fromkeys("a an some".split(), "a")
SMALL_WORDS = frozenset("of and for in on at to with from by".split())
"""Words that carry no meaning of their own in a description."""

ROLES = {
    **dict.fromkeys("mom mum mommy mummy mama mother".split(), "mother"),
    **dict.fromkeys("dad daddy papa pop father".split(), "father"),
    **dict.fromkeys("grandma granny nan nana grandmother".split(), "grandmother"),
    **dict.fromkeys("grandpa granddad gramps grandfather".split(), "grandfather"),
    **dict.fromkeys("aunt auntie aunty".split(), "aunt"),
    **dict.fromkeys("sister sis".split(), "sister"),
    **dict.fromkeys("brother bro".split(), "brother"),
    **dict.fromkeys("kid child kiddo".split(), "child"),
    **dict.fromkeys("kids children kiddos".split(), "children"),
    **dict.fromkeys("fam family".split(), "family"),
    **dict.fromkeys("husband hubby".split(), "husband"),
    **dict.fromkeys(["friend"], "friend"),
    **dict.fromkeys(["friends"], "friends"),
    **dict.fromkeys("colleague coworker co-worker".split(), "colleague"),
    **dict.fromkeys("colleagues coworkers co-workers".split(), "colleagues"),
    **dict.fromkeys("neighbor neighbour".split(), "neighbour"),
    **dict.fromkeys("neighbors neighbours".split(), "neighbours"),
    **dict.fromkeys("roommate flatmate housemate".split(), "roommate"),
    **dict.fromkeys("fiance fiancé".split(), "fiancé"),
    **dict.fromkeys("fiancee fiancée".split(), "fiancée"),
    **{
        role: role
        for role in "buddy pal wife spouse partner girlfriend boyfriend ex son daughter baby "
        "toddler twin sibling siblings parents parent uncle cousin niece nephew grandson "
        "granddaughter godson "
        "goddaughter grandparents boss manager supervisor mentor mentee teacher tutor professor "
        "coach therapist doctor dentist nurse lawyer landlord landlady teammate classmate "
        "babysitter instructor trainer student client stepson stepdaughter stepmother stepfather "
        "mother-in-law father-in-law sister-in-law brother-in-law".split()
    },
}
"""Noun of a role -> the one word that all nouns of this meaning share."""

BORN_ROLES = frozenset(
    "mother father parent sister brother sibling son daughter child twin grandmother grandfather "
    "aunt uncle niece nephew grandson granddaughter".split()
)
"""Roles that nobody else steps into; a husband or a manager may be another one tomorrow."""

WIDER_ROLES = {
    **dict.fromkeys("husband wife spouse boyfriend girlfriend fiancé fiancée".split(), "partner"),
    **dict.fromkeys("son daughter baby toddler".split(), "child"),
    **dict.fromkeys("sister brother twin".split(), "sibling"),
    **dict.fromkeys("mother father".split(), "parent"),
    **dict.fromkeys("buddy pal colleague roommate teammate classmate neighbour".split(), "friend"),
    **dict.fromkeys("buddies colleagues neighbours".split(), "friends"),
    **dict.fromkeys("manager supervisor".split(), "boss"),
}
"""Role -> a role that may be said of the same one too."""

ANIMALS = {
    **dict.fromkeys("dog puppy pup doggo".split(), "dog"),
    **dict.fromkeys("cat kitten kitty".split(), "cat"),
    **dict.fromkeys("rabbit bunny".split(), "rabbit"),
    **{
        animal: animal
        for animal in "hamster parrot budgie parakeet canary turtle tortoise horse pony snake "
        "lizard gecko iguana ferret fish goldfish hedgehog bird rat mouse chicken goat pig sheep "
        "llama alpaca donkey guinea-pig pet".split()
    },
}
PLURAL_ANIMALS = frozenset(
    "dogs puppies pups doggos cats kittens kitties rabbits bunnies hamsters parrots turtles horses "
    "pets birds fishes snakes lizards geckos goats pigs".split()
)

ROLE_PREDICATES = {
    "mother": frozenset({"PARENT"}),
    "father": frozenset({"PARENT"}),
    "parent": frozenset({"PARENT"}),
    "sister": frozenset({"SIBLING"}),
    "brother": frozenset({"SIBLING"}),
    "sibling": frozenset({"SIBLING"}),
    "twin": frozenset({"SIBLING"}),
    "son": frozenset({"CHILD"}),
    "daughter": frozenset({"CHILD"}),
    "child": frozenset({"CHILD", "SON", "DAUGHTER"}),
    "grandmother": frozenset({"RELATIVE", "GRANDPARENT", "GRANDMA"}),
    "grandfather": frozenset({"RELATIVE", "GRANDPARENT", "GRANDPA"}),
    "aunt": frozenset({"RELATIVE"}),
    "uncle": frozenset({"RELATIVE"}),
    "cousin": frozenset({"RELATIVE"}),
    "niece": frozenset({"RELATIVE"}),
    "nephew": frozenset({"RELATIVE"}),
    "husband": frozenset({"SPOUSE", "MARRIED", "PARTNER"}),
    "wife": frozenset({"SPOUSE", "MARRIED", "PARTNER"}),
    "spouse": frozenset({"MARRIED", "PARTNER", "HUSBAND", "WIFE"}),
    "partner": frozenset({"SPOUSE", "MARRIED", "HUSBAND", "WIFE", "BOYFRIEND", "GIRLFRIEND"}),
    "boss": frozenset({"MANAGER", "REPORTS"}),
    "manager": frozenset({"BOSS", "REPORTS"}),
    "colleague": frozenset({"COWORKER"}),
    "roommate": frozenset({"LIVES"}),
}
"""Role -> words of predicates, beside the role itself, that may say it of somebody."""

_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty".split()
)
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_NUMBERS)}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_SEASONS = "spring summer autumn fall winter".split()
_ORDER = (
    "older younger elder oldest youngest eldest middle former previous current old new next last "
    "latest earlier original upcoming past future ex".split()
)
_SIDES = (
    "north south east west northern southern eastern western left right upper lower junior "
    "senior jr sr male female inner outer".split()
)
_COLOURS = (
    "black white red green blue yellow orange purple pink brown grey gray gold silver golden"
).split()
MARKS = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(_ORDINALS, "ordinal"),
    **dict.fromkeys(_MONTHS, "month"),
    **dict.fromkeys(_DAYS, "day"),
    **dict.fromkeys(_SEASONS, "season"),
    **dict.fromkeys(_ORDER, "order"),
    **dict.fromkeys(_SIDES, "side"),
    **dict.fromkeys(_COLOURS, "colour"),
    **dict.fromkeys("i ii iii iv v vi vii viii ix x xi xii".split(), "numeral"),
    **dict.fromkeys("other another different".split(), "other"),
    **dict.fromkeys("big small large little huge tiny".split(), "size"),
    **dict.fromkeys("morning afternoon evening night".split(), "part of day"),
}
"""Word -> the kind of difference that it marks."""

_TYPE_FAMILIES = """
person human man woman child people_person user speaker;
pet animal dog cat bird;
group people family team crowd community band crew pets;
organization organisation company business brand institution charity agency employer startup
school university shop store restaurant service club league;
place location city country town state region area venue building neighborhood neighbourhood
park hotel address room market;
event trip meeting party concert conference competition tournament festival appointment holiday
race;
activity hobby sport skill practice habit routine;
concept topic idea subject value emotion interest;
artwork painting drawing photo sculpture digital_print;
book magazine newspaper publication memoir_chapter article story blog_post;
movie film show screenplay series podcast;
song album music;
game;
object thing possession product item vehicle device instrument tool clothing toy collection;
food drink dish recipe cocktail meal ingredient tequila;
software app platform website program programming_language forum tool_software;
project work job position role course class
"""
TYPE_FAMILY = {
    type.replace("_", " "): number
    for number, family in enumerate(_TYPE_FAMILIES.split(";"))
    for type in family.split()
}
"""Type -> the family of types that a source may use for one and the same thing."""

SHORT_PLACES = {
    "us": "united states",
    "usa": "united states",
    "uk": "united kingdom",
    "uae": "united arab emirates",
    "la": "los angeles",
    "nyc": "new york city",
    "dc": "washington dc",
    "sf": "san francisco",
}
"""Places known by letters, without points."""

PERSON = TYPE_FAMILY["person"]
PET = TYPE_FAMILY["pet"]
GROUP = TYPE_FAMILY["group"]
ORGANIZATION = TYPE_FAMILY["organization"]
PLACE = TYPE_FAMILY["place"]
ACTIVITY = TYPE_FAMILY["activity"]

NEAR_FAMILIES = frozenset(
    frozenset((TYPE_FAMILY[a], TYPE_FAMILY[b]))
    for a, b in (
        ("organization", "place"),
        ("organization", "group"),
        ("organization", "software"),
        ("organization", "project"),
        ("organization", "event"),
        ("activity", "concept"),
        ("activity", "event"),
        ("activity", "project"),
        ("activity", "game"),
        ("event", "project"),
        ("project", "software"),
        ("project", "book"),
        ("project", "movie"),
        ("book", "movie"),
        ("object", "food"),
        ("object", "software"),
        ("object", "artwork"),
        ("object", "book"),
        ("object", "game"),
        ("object", "concept"),
        ("object", "organization"),
        ("object", "project"),
    )
)
"""Pairs of families that one thing may be said to be of; a rule alone never joins across them."""
