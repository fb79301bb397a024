"""English words that rules lean on. Ordinary vocabulary only: no names of people."""

from __future__ import annotations

ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st mt ft sr jr vs etc e.g i.e eg ie approx dept no vol fig inc ltd co corp "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "gen col lt sgt rev hon u.s u.k".split()
)

MONTHS = (
    "january february march april may june july august september october november december"
).split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()

NATIONALITIES = frozenset(
    "american british english scottish welsh irish french german spanish italian portuguese dutch "
    "belgian swiss austrian swedish norwegian danish finnish icelandic polish czech slovak "
    "hungarian romanian bulgarian greek turkish russian ukrainian serbian croatian bosnian "
    "slovenian albanian estonian latvian lithuanian chinese japanese korean vietnamese thai "
    "indonesian malaysian filipino indian pakistani bangladeshi nepali iranian iraqi israeli "
    "palestinian lebanese syrian egyptian moroccan algerian tunisian libyan nigerian ghanaian "
    "kenyan ethiopian somali african south asian european latin mexican guatemalan cuban "
    "dominican jamaican haitian colombian venezuelan ecuadorian peruvian bolivian chilean "
    "argentinian argentine uruguayan paraguayan brazilian canadian australian kiwi maori arab "
    "jewish muslim christian catholic protestant buddhist hindu sikh mormon orthodox anglican "
    "caucasian hispanic latino latina black white asian".split()
)

LANGUAGES = frozenset(
    "english french german spanish italian portuguese dutch swedish norwegian danish finnish "
    "icelandic polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian "
    "serbian croatian slovenian albanian estonian latvian lithuanian mandarin cantonese chinese "
    "japanese korean vietnamese thai indonesian malay tagalog hindi urdu bengali punjabi tamil "
    "telugu marathi gujarati nepali sinhala farsi persian arabic hebrew kurdish swahili amharic "
    "yoruba igbo hausa zulu xhosa afrikaans catalan basque galician welsh irish gaelic quechua "
    "aymara guarani nahuatl latin esperanto asl bsl".split()
)

OCCUPATIONS = frozenset(
    "accountant actor actress actuary administrator advisor analyst anthropologist architect "
    "archivist artist assistant astronaut astronomer athlete attorney auditor author baker banker "
    "barber barista bartender beautician biologist blogger bookkeeper botanist broker builder "
    "butcher butler captain caregiver carer carpenter cashier chef chemist chiropractor cleaner "
    "clerk coach coder comedian composer conductor consultant contractor cook coordinator "
    "copywriter "
    "counselor counsellor courier curator dancer dentist designer detective developer dietitian "
    "director diver doctor driver economist editor educator electrician engineer entrepreneur "
    "estimator farmer filmmaker firefighter fisherman florist freelancer gardener geographer "
    "geologist hairdresser handyman historian housekeeper illustrator inspector instructor "
    "interpreter investigator janitor jeweller jeweler journalist judge lawyer lecturer librarian "
    "lifeguard linguist locksmith machinist manager marketer mathematician mechanic meteorologist "
    "midwife miner model musician nanny neurologist novelist nurse nutritionist optician "
    "optometrist "
    "painter paralegal paramedic pastor pediatrician pharmacist philosopher photographer physician "
    "physicist physiotherapist pianist pilot plumber poet policeman policewoman politician porter "
    "postman priest principal producer professor programmer psychiatrist psychologist publisher "
    "radiographer radiologist realtor receptionist recruiter reporter researcher retailer sailor "
    "salesman salesperson saleswoman scientist screenwriter sculptor seamstress secretary "
    "seller singer sociologist soldier solicitor songwriter statistician stylist "
    "superintendent supervisor surgeon surveyor tailor teacher technician therapist trader trainer "
    "translator tutor undertaker veterinarian vet waiter waitress warden welder writer zoologist "
    "intern apprentice student ceo cto cfo".split()
)

DIETS = {
    "vegan": "vegan",
    "vegetarian": "vegetarian",
    "pescatarian": "pescatarian",
    "pescetarian": "pescatarian",
    "flexitarian": "flexitarian",
    "gluten-free": "gluten-free",
    "gluten free": "gluten-free",
    "dairy-free": "dairy-free",
    "dairy free": "dairy-free",
    "keto": "keto",
    "plant-based": "plant-based",
    "halal": "halal",
    "kosher": "kosher",
    "paleo": "paleo",
}

RELATIONS = {
    **dict.fromkeys(["husband", "wife", "spouse", "hubby"], "MARRIED_TO"),
    **dict.fromkeys(["fiancé", "fiancée", "fiance", "fiancee"], "ENGAGED_TO"),
    **dict.fromkeys(["girlfriend", "boyfriend", "partner"], "PARTNER"),
    **dict.fromkeys(
        "son daughter child kid baby stepson stepdaughter toddler kiddo".split(), "HAS_CHILD"
    ),
    **dict.fromkeys("brother sister sibling twin stepbrother stepsister".split(), "HAS_SIBLING"),
    **dict.fromkeys(
        "mother mom mum mama father dad papa stepmother stepfather stepmom stepdad parent".split(),
        "HAS_PARENT",
    ),
    **dict.fromkeys("friend buddy pal bestie mate".split(), "HAS_FRIEND"),
    **dict.fromkeys(
        "aunt auntie uncle cousin niece nephew grandma grandmother grandpa grandfather granddad "
        "granny nan grandson granddaughter godson goddaughter mother-in-law father-in-law "
        "sister-in-law brother-in-law".split(),
        "HAS_RELATIVE",
    ),
    **dict.fromkeys(["boss", "manager", "supervisor"], "MANAGER"),
    **dict.fromkeys(
        "colleague coworker co-worker neighbour neighbor teacher tutor professor mentor coach "
        "therapist doctor teammate classmate landlord landlady babysitter".split(),
        "KNOWS",
    ),
    **dict.fromkeys(["roommate", "flatmate", "housemate"], "LIVES_WITH"),
}
"""Noun -> the predicate that it says of whoever says "my"."""

BORN_RELATIONS = frozenset(
    "son daughter child kid baby toddler kiddo brother sister sibling twin mother mom mum mama "
    "father dad papa parent".split()
)
"""Those of them that birth settles."""

ANIMALS = (
    "dog puppy pup cat kitten kitty hamster rabbit bunny parrot budgie parakeet canary turtle "
    "tortoise horse pony snake lizard gecko iguana ferret fish goldfish hedgehog chinchilla bird "
    "rat mouse chicken hen goat pig sheep llama alpaca donkey retriever labrador lab poodle beagle "
    "bulldog corgi dachshund terrier collie husky pug chihuahua spaniel shepherd doodle"
).split()

PLURAL_ANIMALS = "dogs puppies pups cats kittens hamsters rabbits bunnies parrots turtles horses"

CONDITIONS = frozenset(
    "asthma diabetes epilepsy migraines migraine eczema psoriasis arthritis depression anxiety "
    "adhd "
    "autism dyslexia anemia anaemia hypertension celiac coeliac lupus fibromyalgia endometriosis "
    "pcos ibs insomnia ocd ptsd tinnitus scoliosis cancer leukemia glaucoma".split()
)

ALLERGENS = (
    "nut nuts peanut peanuts shellfish dairy egg eggs gluten wheat soy fish pollen dust cat dog "
    "penicillin latex sesame strawberry bee milk lactose"
).split()

NOT_NAMES = (
    frozenset(
        (
            "i a an the this that these those it its he she they we you his her him them us me my "
            "our "
            "your their mine yours who whom whose which what when where why how if then than so "
            "but "
            "and or nor yet for of in on at by to from with without about after before since until "
            "while because although though as is are was were be been being am do does did done "
            "have "
            "has had will would can could may might shall should must not no yes yeah yep yup "
            "nope nah "
            "ok okay oh ah aw aww hey hi hello wow whoa yay woo woohoo ugh hmm hm haha lol omg "
            "btw fyi "
            "thanks thank please sorry congrats congratulations cheers bye goodbye good great nice "
            "cool awesome amazing sure right well just also still even only too very really "
            "actually "
            "maybe perhaps definitely absolutely totally honestly basically seriously luckily "
            "finally "
            "recently lately sometimes usually often always never ever once now today tomorrow "
            "yesterday tonight here there everyone everybody someone somebody anyone anybody "
            "nobody "
            "everything something anything nothing all some any many much more most few several "
            "both "
            "each every either neither one two three four five six seven eight nine ten first "
            "second "
            "third last next new old long big small best better worst same other another such "
            "what's "
            "it's that's there's let let's lets got get getting going gone been went come came "
            "take "
            "took make made see saw look looking looks sounds feel feeling feels glad happy sad "
            "excited "
            "tired busy guess hope hoping wish love loved loving like likes liked hate thing "
            "things way "
            "kids people family friends friend mom mum dad mama papa grandma grandpa sis bro dude "
            "man "
            "girl guys buddy mate sir madam tv pc ai diy pm am asap rip diy idk tbh imo imho "
            "morning afternoon evening night day week month year weekend spring summer autumn fall "
            "winter christmas easter thanksgiving halloween hanukkah ramadan diwali "
            "keep take try wait check have having being doing working living trying since whenever "
            "whatever anyway besides however meanwhile plus oh my god gosh during between instead "
            "until unless despite especially overall correction update note ps edit true false "
            "correct dear hugs phew bravo wonderful fantastic beautiful lovely perfect exactly "
            "dancing painting running cooking reading writing music art nature life work school "
            "photo pic picture image video movie book song game games coffee tea pizza"
        ).split()
    )
    | frozenset(MONTHS)
    | frozenset(WEEKDAYS)
    | NATIONALITIES
    | LANGUAGES
)

NOT_SELF = frozenset(
    (
        "sorry fine good great ok okay happy sad tired busy sure glad ready done back home here "
        "there late early sick ill well better best excited thrilled proud grateful thankful "
        "single married divorced pregnant free full hungry lost new old not so very too really "
        "just still also all in on at from off out up down both always never totally absolutely "
        "definitely currently actually working living going trying looking feeling doing getting "
        "team"
    ).split()
)
