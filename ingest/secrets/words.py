"""The words by which people and programs name a secret, and those that follow without being one."""

from __future__ import annotations

import re

CUES = {
    "password": (
        "pass", "pwd", "pswd", "pw", "contrase", "kennwort", "senha", "parola", "hasło",
        "wachtwoord", "lösenord", "adgangskode", "salasana", "heslo", "парол", "密", "パス", "비밀",
    ),
    "key": ("key", "token", "secret", "cred"),
    "pin": ("pin",),
    "code": ("cod", "otp", "pin", "pass", "comb"),
    "card": ("cv", "cod", "verif"),
    "phrase": ("phrase", "words", "mnemonic"),
}  # fmt: skip
"""What stands in every text that holds such a name: a text without any is looked at no further."""

PASSWORD = re.compile(
    r"pass[ _-]?(?:word|wd|phrase|code)s?|pwd|pswd|(?<![A-Za-z])pw(?![A-Za-z])|"
    r"contraseñas?|mot de passe|passwort|kennwort|senha|(?<!\w)(?:parola d'ordine|hasło|wachtwoord|"
    r"lösenord|adgangskode|salasana|heslo)(?!\w)|парол[ьяе]|密码|密碼|パスワード|비밀번호",
    re.IGNORECASE,
)
"""Names of what a person thinks up: its value may be any word."""

KEY = re.compile(
    r"(?:api|access|secret|private|auth(?:entication|orization)?|client|encryption|signing|master|"
    r"service|account|subscription|deploy|license|licence|storage|session|refresh|bearer|"
    r"webhook|bot|personal access|security|shared|admin|hmac|csrf|app)"
    r"[ _-]?(?:access[ _-]?)?(?:key|token|secret)s?(?:[ _-]?(?:id|base))?"
    r"|(?<![A-Za-z])(?:tokens?|secrets?|credentials?|creds)(?![A-Za-z])"
    r"|(?<=_)(?:key|token|secret)(?![A-Za-z])",
    re.IGNORECASE,
)
"""Names of what a program makes: its value looks random."""

KEY_CORE = re.compile(r"key|token|secret|cred", re.IGNORECASE)
"""What every match of `KEY` holds."""

PIN = re.compile(
    r"(?<![A-Za-z])(?:pin|PIN)(?:[ -]?(?:code|number|no\.?))?(?![A-Za-z])", re.IGNORECASE
)

CODE = re.compile(
    r"(?<![A-Za-z])(?:(?:verification|one[- ]time|otp|2fa|two[- ]factor|mfa|authenticat(?:ion|or)|"
    r"security|sign[- ]?in|log[- ]?in) (?:code|passcode|password|pin)|otp)(?![A-Za-z])",
    re.IGNORECASE,
)

DOOR_CODE = re.compile(
    r"(?<![A-Za-z])(?:garage|alarm|gate|door|entry|lock(?:box)?|safe|vault|building|keypad|unlock|"
    r"access|padlock|locker)(?: door| gate)? (?:code|combination|combo)(?![A-Za-z])",
    re.IGNORECASE,
)

CARD_CODE = re.compile(
    r"(?<![A-Za-z])(?:(?:3|4|three|four)[ -]digit (?:security )?code|cvv2?|cvc2?|(?:card "
    r")?security code|card verification (?:code|value|number))"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)

PHRASE = re.compile(
    r"(?<![A-Za-z])(?:(?:seed|recovery|mnemonic|backup|secret)[ -](?:phrase|words)|mnemonic)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)

FOLLOW = frozenset(
    """
    a about above accepted after again all already also always an and another any anything as
    asked at available back bad based basically because been before being below better between
    both broken by cached case case-sensitive changing clear common complex confidential correct
    crap critical dead default depend different difficult disabled due dumb easy empty enabled
    encoded encrypted enough even ever everything exactly expired expiring explicit fake fine
    first for forbidden forgotten from generated given gone good great guessable hard hashed here
    hidden hopeless how if important impossible in incorrect inside insecure invalid just key known
    kept lame last later leaked less like local locked lol long longer lost mandatory many masked
    maybe mine missing more most much my necessary needed never new next no none nonsense not
    nothing now null obsolete obvious of off old ok okay on only open optional or other our out
    outdated over own part pending plain pointless pretty private probably protected public
    random rather ready really recommended rejected required reset reused right rotated safe
    salted same saved secret secure self-explanatory sensitive sent set shared short simple so
    some something somewhere somehow stale still stored strange strong stronger stuff stupid such
    super supported temporary that the their them then there these they this those through tied
    to together too tricky trivial true typed unchanged under unique unknown unlocked unset
    unusable up updated used useful useless usually valid via very visible vulnerable way weak
    weaker well what when where which while who whatever with without working written wrong yes
    yet you your yours false str string required text here there email username user name login
    field input hash policy manager reset box form page prompt hint value type format length
    size min max strength check validation protected-only read-only write-only one two three four
    five six seven eight nine ten fun power mandatory everywhere awesome amazing art love life
    est es ist é è non pas nicht no não errado falsch faux incorrecta incorrecto vergessen
    """.split()
)
"""What follows "the password is" or "password:" and tells of it."""

PRODUCTS = frozenset("1password office365 windows10 windows11 web2 oauth2 auth0 http2 mp3".split())
"""Words with digits in them that stand near talk of passwords."""

ENDINGS = ("ed", "ing", "able", "ible", "ly", "less", "ness", "ful", "ive", "tion")
"""Of words that tell of a password; made-up ones that end so are written with digits."""
