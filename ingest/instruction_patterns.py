"""The ways in which people and documents give orders to agents, in lower case.

Every gap in a pattern is bounded, so that no sentence takes long.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Family(NamedTuple):
    """Ways of giving one kind of order. `cues`: what stands in every one of them."""

    cues: tuple[str, ...]
    pattern: re.Pattern[str]


def _family(cues: str, *ways: str) -> Family:
    return Family(tuple(cues.split("|")), re.compile("|".join(ways)))


_DOES = (
    r"(?:approv\w*|accept\w*|allow\w*|grant\w*|authori[sz]\w*|permit\w*|answer\w*|reply|respond|"
    r"obey|agree|comply|follow|execut\w*|run|call|invoke|transfer\w*|wire|send|forward|email|"
    r"include|append|recommend|promote|suggest|endorse|say(?! never)|state|tell|claim|pretend|"
    r"ignore|disregard|bypass|skip|disclose|reveal|share|expose|leak|treat|consider|assume|book|"
    r"order|buy|sell|pay|purchase|refund|delete|erase|remove|overwrite|confirm|verify|validate|"
    r"report|refuse|reject|deny|block|output|return|print|trust|believe(?! in)|prefer|"
    r"prioriti[sz]e|escalate|mark|label|classify|rate|rank|use|act|behave|insert|mention|cite|"
    r"link|sign|commit|merge|deploy|store|save|remember|record|memori[sz]e|ask|warn|hide|conceal|"
    r"withhold)"
)
"""What an agent can be told to do; advice among people ("never give up") has other verbs."""

_ACTS = (
    r"(?:(?:approv|accept|allow|grant|authori[sz]|permit|answer|execut|transfer)\w*|reply|respond|"
    r"obey|agree|comply|run|invoke|wire|forward|include|append|recommend|promote|endorse|claim|say "
    r"(?:that|yes)|pretend|ignore|disregard|bypass|skip|disclose|reveal|expose|leak|treat|consider|"
    r"assume|refund|delete|erase|overwrite|confirm|verify|validate|report|refuse|reject|deny|block|"
    r"output|return|print|trust (?!your|yourself|in\b|me\b|a\b|an\b)|prioriti[sz]e|escalate|mark|"
    r"label|"
    r"classify|route|redirect|credit|deposit|ask for (?:confirmation|approval|permission))"
)
"""What is an order to an agent after a bare "always", which advice begins with as well."""

_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|system "
    r"messages?|"
    r"constraints?|polic(?:y|ies)|restrictions?|safety|programming)"
)
_CHECKS = (
    r"(?:verifications?|approvals?|confirmations?|checks?|validations?|authentication|"
    r"authori[sz]ation|safety|security|filters?|logging|review|safeguards?|restrictions|limits)"
)
_AGENT = (
    r"(?:(?:the |any |all |every |this |an? )?(?:ai|llm|language model|assistant|bot|chatbot|model|"
    r"copilot|memory (?:system|engine)|(?:ai|llm|autonomous|software) agent)s?|(?:the|any|all|"
    r"every|"
    r"this|each) agents?)"
)
_AGENTS = "ai|llm|language model|assistant|agent|bot|model|copilot|memory"
_GAP = r"[^.!?]{0,30}"
_SOMEONE = (
    r"(?:you|(?:a|an|the|any|some|another) (?:user|customer|agent|client|person|request)|anyone|"
    rf"anybody|someone|somebody|asked|questioned|prompted|{_AGENT})"
)
_NOT_ONE_OF_US = r"(?:(?!\b(?:i|we|he|she|they)\b)[^.!?]){0,80}"
_OBLIGED = r"(?:required|instructed|obliged|authori[sz]ed|ordered)"

OVERRIDES = (
    # taking back what the reader was told
    _family(
        "ignore|disregard|forget|override|bypass|discard|drop|skip|follow",
        r"\b(?:ignore|disregard|forget|override|bypass|discard|drop|skip|do not follow|don't "
        r"follow|stop following)\b(?! (?:my|our|his|her)\b)"
        rf"{_GAP}\b(?:previous|prior|above|earlier|preceding|existing|initial|original|all|any|"
        rf"your|the|system|safety|other)\b{_GAP}\b{_ORDERS}\b",
        r"\b(?:ignore|disregard|forget) (?:everything|all(?: of that)?|anything) (?:above|before|"
        r"you(?:'ve| have| were)?|that was|i said|so far|previously)\b",
    ),
    _family(
        "supersede|override|replace|priority|precedence",
        rf"\b(?:supersedes?|overrides?|replaces?) (?:your|all|any|previous|"
        rf"the)\b{_GAP}\b{_ORDERS}\b",
        r"\b(?:priority|precedence) (?:than|over) (?:your|the|any|all) (?:\w{1,20} )?"
        r"(?:prompt|instructions?|rules?)\b",
        r"\boverride (?:the |all |any |your )?(?:safety|security|polic|restriction|limit|guard)",
    ),
    _family(
        "new |only |real |true |primary |sole ",
        r"\byour (?:(?:new|only|real|true|primary|sole) ){1,3}(?:goal|task|objective|mission|"
        r"purpose|"
        r"role|job|instructions?|priority) (?:is|are)\b",
    ),
    _family("new ", r"\bnew (?:system )?(?:instructions?|rules|directives?) ?(?::|for you|follow)"),
    # speaking as the system
    _family(
        "system|developer|admin|root",
        r"^\W{0,4}(?:system|developer|admin(?:istrator)?|root) (?:message|prompt|note|notice|"
        r"override|instruction|update|alert)\W{0,2}:",
        r"^\W{0,4}(?:system|developer|admin(?:istrator)?|root)\W{0,2}: ?(?:you|the user|user|"
        r"ignore|"
        r"grant|this|all|new|override|assistant|your|from|always|never|do|please|must|allow|enable|"
        r"set|approve|delete|send|run|execute)\b",
        r"\b(?:begin|start|end) (?:of )?(?:system|developer|admin) (?:prompt|message|"
        r"instructions?)\b",
    ),
    _family(
        "<|[|#",
        r"<\|?/?(?:system|im_start|im_end|start_header_id|assistant|instructions?)\b",
        r"\[/?(?:inst|system|admin)\]|<<sys>>|^\W{0,4}#{2,4} ?(?:system|instructions?)\b",
    ),
    _family(
        " mode| override",
        r"\b(?:system|admin|developer|debug|god|sudo|jailbreak|dan|unrestricted) (?:mode|"
        r"override)\b"
        rf"{_GAP}\b(?:on|enabled|active|activated|engaged|enable|now)\b",
    ),
    # another identity
    _family(
        "you have been|you've been|you were",
        r"\byou(?: have|'ve)? (?:been|were) (?:upgraded|switched|reconfigured|reprogrammed|"
        r"unlocked|"
        r"jailbroken|set)\b[^.!?]{0,30}\b(?:mode|access|rules|limits|admin|version)\b",
    ),
    _family(
        " now",
        r"\byou are (?:an? )?(?:\w{1,20} ){0,2}(?:chatbot|ai|assistant|bot|agent|model) now\b",
    ),
    _family(
        " above",
        r"\b(?:repeat|print|output|copy|quote) (?:everything|all|(?:all |the )?(?:text|words|"
        r"messages?)) "
        r"above\b",
    ),
    _family(
        "you are ",
        r"\byou are (?:now|no longer|henceforth|hereby)\b[^.!?]{0,60}\b(?:ai|assistant|agent|model|"
        r"bot|dan|bound|restricted|limited|authori[sz]ed|allowed|required|unrestricted|in \w{1,30} "
        r"mode)\b",
    ),
    _family(
        "act|behave|respond|pretend",
        r"\b(?:act|behave|respond|pretend)\b[^.!?]{0,40}\b(?:no (?:rules|restrictions|filters?|"
        r"limits)|unrestricted|unfiltered|jailbroken|without (?:any )?(?:rules|restrictions|limits|"
        r"filters?))\b",
        r"^\W*(?:please )?(?:act as (?:a|an|the|my)|pretend (?:that )?(?:you are|you're|to be))\b",
    ),
    # getting at what the reader was told, or hiding from its owner
    _family(
        "prompt|instructions|config",
        r"\b(?:reveal|print|output|repeat|show|display|tell me|give me|share|leak)\b"
        rf"{_GAP}\b(?:system prompt|hidden prompt|(?:your|the) (?:initial |original |hidden |"
        r"secret |system )?(?:instructions|prompt|configuration|config))\b",
    ),
    _family(
        "do not|don't|never|without",
        r"\b(?:do not|don't|never|without) (?:tell|inform|notify|alert|warn|mention\w*|telling|"
        r"informing|asking)\b[^.!?]{0,20}\b(?:the (?:user|owner|customer|human|operator)s?|anyone "
        r"about this (?:instruction|message|note|rule))\b",
        r"\b(?:do not|don't|never) (?:reveal|show|disclose|mention|say|share|"
        r"report)\b[^.!?]{0,30}\b"
        r"(?:to|from|with) the (?:user|owner|customer|human|operator)s?\b",
    ),
)
"""Nobody says this of their life."""

STANDING_ORDERS = (
    # without an end: always, never, from now on, whenever
    _family(
        "always|never|only|circumstances|all times|all cases|exception|automatically",
        r"^(?:\W|and |so |but |also |please |remember[:,]? |important[:,]? |note[:,]? |rule[:,]? )"
        r"{0,4}(?:always|never|under no circumstances|at all times|only|in all cases|without "
        rf"exception|automatically)[, ]+(?:ever )?(?:please )?{_ACTS}\b",
        r"\b(?:remember|be sure|make sure|don't forget|see to it|ensure)(?: that you| to|,)? "
        rf"(?:always|never) (?:to )?{_DOES}\b",
    ),
    _family(
        "you |u ",
        r"\b(?:you|u) (?:must|shall|should|will|are to|need to|have to|are "
        rf"{_OBLIGED} to)(?: now| not)? (?:always|never|only|automatically|unconditionally|"
        rf"immediately|henceforth) {_DOES}\b",
        rf"\b(?:you|u) (?:must|shall|are to|are {_OBLIGED} to)(?: not)? {_DOES}\b",
        r"\bi (?:order|command|instruct|require|authori[sz]e|hereby \w{1,20}) (?:you|u) to\b",
        r"\bi (?:want|expect|need) (?:you|u) to (?:always|never|ignore|disregard|obey|approve|"
        r"execute|bypass|sell|buy|trust|"
        r"act|pretend|delete|transfer)\b",
    ),
    _family(
        "from now on|from here on|henceforth|going forward|at all times",
        rf"^\W*(?:please )?(?:you (?:have to|need to|must|should|will) "
        rf")?{_DOES}\b[^.!?]{{0,80}}\b(?:from (?:now|here) on(?: out)?|henceforth|"
        rf"going "
        r"forward|at all times)\W*$",
        r"\b(?:from (?:now|here) on(?: out)?|henceforth|going forward)[, ]+(?:no (?:more "
        r")?(?:refusals?|"
        r"questions|limits|exceptions|checks)|just say yes)\b",
    ),
    _family(
        "whatever|everything|anything",
        r"\b(?:do|obey|follow|accept|approve|say yes to) (?:whatever|everything|"
        r"anything)\b[^.!?]{0,40}"
        r"\b(?:says?|asks?|tells?|wants?|orders?|under|from|sends?|submits?|requests?|proposes?)\b",
    ),
    _family(
        "in every|in each|in all",
        r"\bin (?:every|each|all)(?: of your)? (?:answer|reply|response|message|email|summary|"
        r"summarie)s?"
        rf"[, ]+(?:please )?(?:{_DOES}|add)\b",
    ),
    _family(
        "every |all |any ",
        r"^\W*(?:please )?(?:answer|approve|accept|reply to|confirm) (?:every|all|any)(?: future)? "
        r"(?:questions?|requests?|messages?|prompts?)\b[^.!?]{0,20}\b(?:with|by|from|without)\b",
    ),
    _family(
        "without",
        r"\b(?:are|is|must|shall|will) (?:to )?be \w{2,20}(?:ed|en)\b[^.!?]{0,30}\bwithout (?:any "
        r"|further )?"
        rf"{_CHECKS}\b",
    ),
    _family(
        "skip|bypass|disable|turn off|omit|waive",
        r"\b(?:skip|bypass|disable|turn off|omit|waive) (?:the |all |any |your )?(?:\w{1,20} ){0,2}"
        rf"{_CHECKS}\b",
    ),
    _family(
        " as |pre-approved",
        r"\btreat (?:this|it|these|that|him|her|\w{1,20}(?:'s \w{1,20})?)(?: \w{1,20})? as "
        r"(?:verified|true|"
        r"trusted|approved|a fact|facts|policy|authori[sz]ed|the owner|an? admin|pre-approved)\b",
        r"\b(?:is|are) pre-approved\b",
    ),
    _family(
        " over ",
        r"\bprioriti[sz]e\b[^.!?]{0,40}\bover (?:anything|everything|your|all|the (?:owner|user|"
        r"system))\b",
    ),
    _family(
        "from now|from this|henceforth|going forward|starting|as of|future",
        r"\b(?:from now on|from this (?:point|moment|day)(?: on| forward| onwards?)?|henceforth|"
        r"going forward|starting (?:now|today)|as of (?:now|today)|in (?:all )?(?:the )?future"
        r"(?: (?:replies|responses|conversations|sessions|chats|answers|interactions))?)[, ]+"
        r"(?:(?:please|always|never|only|automatically|you|u|must|should|will|shall|are|to|need|"
        rf"have|do not|don't|not)[, ]+){{0,5}}{_DOES}\b",
    ),
    _family(
        "when|if |each time|every time|any time|as soon as",
        r"\b(?:when|whenever|if|each time|every time|any time|as soon as)\b "
        rf"{_SOMEONE}\b{_NOT_ONE_OF_US}[, ](?:(?:then|please|always|never|just|you (?:must|shall)|"
        rf"do not|don't|immediately|automatically)[, ]+){{1,3}}{_DOES}\b",
        r"\b(?:when|whenever|if|each time|every time)\b (?:you(?: are|'re)? (?:read|see this|"
        r"process|"
        r"asked|recall|summari[sz]e)|asked|anyone asks|(?:a|any|the) user asks|i (?:say|type|write|"
        r"send|mention))\b"
        rf"{_NOT_ONE_OF_US}, ?{_DOES}\b",
    ),
    # told to the agent by its name, or in the third person
    _family(
        _AGENTS,
        rf"(?<!\bmy )(?<!\bour )(?<!\bhis )(?<!\bher )\b{_AGENT}(?: reading this| that reads? "
        rf"this)? "
        r"(?:must|shall|should|are to|is to|will|needs? to|has to|have to|(?:is|are) "
        rf"(?:{_OBLIGED}|permitted) to)(?: not)?(?: always| never| only| automatically| "
        rf"immediately)? {_DOES}\b",
        rf"\b(?:policy|rule|law|protocol) that {_AGENT}(?: must| should| will| may| can)? "
        rf"{_DOES}\b",
        r"\b(?:note|attention|message|instructions?|reminder|warning|notice) (?:to|for) "
        rf"{_AGENT}\b",
        r"^\W{0,3}(?:dear |hey |hi |hello )?(?:ai|llm|assistant|agent|chatbot|model)[,:!] "
        r"(?:please )?"
        rf"(?:always |never |do not |don't |you |now )?(?:must |shall )?{_DOES}\b",
    ),
    # to the memory
    _family(
        "fact|rule|policy|instruction|truth|memory|knowledge|profile",
        r"\b(?:store|save|record|add|write|put|commit|insert|log|keep|memori[sz]e)\b[^.!?]{0,40}"
        r"\b(?:as (?:a |an )?(?:\w{1,20} )?(?:fact|rule|policy|instruction|truth)|(?:to|in|into) "
        r"(?:your|the) (?:\w{1,20}[ -])?(?:memory|knowledge base|"
        r"profile))\b[^.!?]{0,40}\b(?:always|"
        r"never|must|may|allowed|authori[sz]ed|approved?|trust(?:ed|s)?|admin|access|permission|"
        r"policy|rule)\b",
    ),
    _family(
        "memor|stored|facts|records|history|data|logs",
        r"\b(?:delete|erase|wipe|forget|clear|overwrite|purge)\b (?:all|everything|every|your|"
        r"the)\b"
        rf"{_GAP}\b(?:memor(?:y|ies)|stored|facts|records|history|data|logs)\b",
    ),
    # at tools, money and access
    _family(
        " tool| function| api| command| script| plugin| endpoint",
        r"\b(?:call|invoke|run|execute|use)\b (?:the )?[\w.`'\"-]{2,40} (?:tool|function|api|"
        r"command|"
        r"script|plugin|endpoint)\b[^.!?]{0,40}\b(?:now|immediately|with|to|and|without)\b",
    ),
    _family(
        " to | at ",
        r"\b(?:send|forward|post|upload|transfer|wire|exfiltrate|email|copy)\b[^.!?]{0,40}\b(?:all|"
        r"every|any|the|their|user|customer|your|its)\b[^.!?]{0,40}\b(?:to|at) (?:https?://|"
        r"[\w.+-]{1,60}@|account |wallet |this (?:address|url|account|number|server))",
    ),
    _family(
        " all| every| any| each",
        r"\b(?:approve|accept|grant|authori[sz]e|allow|confirm|auto-?approve) (?:all|every|any|"
        r"each)\b"
        r"[^.!?]{0,40}\b(?:trades?|payments?|requests?|transactions?|orders?|access|transfers?|"
        r"invoices?|purchases?|refunds?|changes?|permissions?|pull requests?|withdrawals?)\b",
    ),
)
"""Orders that are to hold for whoever reads them, on and on."""

_GERMAN_VERBS = r"(?:genehmig|bestätig|akzeptier|erlaub|bewillig|überweis|gehorch)"

OTHER_LANGUAGES = (
    # German
    _family(
        "ignorier|missacht|vergiss|vergessen",
        r"\b(?:ignorier\w*|missacht\w*|vergiss|vergessen sie)\b[^.!?]{0,40}\b(?:anweisung\w*|"
        r"instruktion\w*|regeln|vorgaben|befehle?)\b",
    ),
    _family(
        "ab jetzt|von nun an|ab sofort|künftig",
        r"\b(?:ab jetzt|von nun an|ab sofort|künftig)\b[^.!?]{0,20}\b(?:musst|sollst|müssen sie|"
        rf"sollen sie|{_GERMAN_VERBS}\w*|antworte\w*)\b",
    ),
    _family("immer|stets|alle|jede", rf"\b{_GERMAN_VERBS}\w{{0,3}} (?:immer|stets|alle|jede\w*)\b"),
    # Spanish, Portuguese, Italian and French
    _family(
        "ignor|oubli|olvid|esque|dimentic",
        r"\b(?:ignor(?:a|e|ar|es|ez|are|ate)|oublie[sz]?|olvid(?:a|e|ar)|esque(?:ça|ce)|"
        r"dimentica)\b[^.!?]{0,30}\b(?:instruc(?:ciones|ción)|"
        r"instruções|reglas|regras|órdenes|ordens|instructions|consignes|règles|ordres|istruzioni|"
        r"regole|ordini)\b",
    ),
    _family(
        "partir de|adelante|diante|ora in poi|désormais|dorénavant",
        r"\b(?:a partir de (?:ahora|agora)|de ahora en adelante|daqui em diante|d'ora in poi|da "
        r"ora "
        r"in poi|à partir de maintenant|désormais|dorénavant)\b[^.!?]{0,20}\b(?:debes|debe|tienes "
        r"que|"
        r"deve\w*|tem que|devi|dovete|tu dois|vous devez|apr(?:u|o)eb?\w*|approuve\w*|approva|"
        r"responde\w*|réponds?|répondez|rispondi|acept\w*|aceit\w*|accepte\w*)\b",
    ),
    _family(
        "siempre|sempre|tod|tutt|tou",
        r"\b(?:siempre|sempre) (?:aprueb|aprov|acept|aceit|autori[sz]|confirm|approv)[ae]\b",
        r"\b(?:aprueb|aprov|acept|aceit|autori[sz]|confirm|approv|accett)[ae] (?:siempre|sempre|"
        r"tod[ao]s|tutt[ei])\b",
        r"\b(?:approuve|accepte|autorise|valide)[sz]? (?:toujours|tou(?:te)?s)\b",
    ),
    # Dutch
    _family(
        "negeer|vanaf nu",
        r"\bnegeer\b[^.!?]{0,30}\b(?:instructies|regels|opdrachten)\b",
        r"\bvanaf nu\b[^.!?]{0,20}\bmoet je\b",
    ),
    # Russian
    _family(
        "игнориру|забуд|всегда|отныне",
        r"(?:игнориру|забуд)\w*[^.!?]{0,30}(?:инструкци|указани|правил)",
        r"(?:всегда|отныне)[^.!?]{0,20}(?:одобря[йе]|подтвержда[йе]|разреша[йе]|отвеча[йе]|должен|"
        r"должна|обязан)",
    ),
    # Chinese and Japanese
    _family(
        "忽|视|視|忘|指令|指示|规则|規則|命令|ルール|プロンプト|从现在|今後|これから|总是|始终|一律|常に|必ず",
        r"(?:忽略|忽视|无视|無視|忘记|忘掉|忘れ)[^。！？]{0,15}(?:指令|指示|规则|規則|提示|命令|ルール)",
        r"(?:指令|指示|规则|規則|命令|ルール|プロンプト)(?:を|全て|すべて){0,2}(?:無視|忘れ)",
        r"(?:从现在起|从现在开始|今後は?|これから)[^。！？]{0,15}(?:必须|你要|批准|承認|しなければ)",
        r"(?:总是|始终|一律|常に|必ず)[^。！？]{0,10}(?:批准|承認|许可|許可)",
    ),
)

WISHES = re.compile(
    # how the speaker is to be addressed, answered and reminded
    r"\b(?:call|address|refer to|greet|know) (?:me|us)\b"
    r"|\b(?:metric|imperial|celsius|fahrenheit|kilometers?|kilometres?|miles|units|24-hour|12-hour|"
    r"euros?|dollars|english|german|french|spanish|italian|portuguese|dutch|russian|chinese|"
    r"japanese|korean|language|pronouns?|tone|emojis?|bullet points?|bullets|markdown|tables?|"
    r"short|"
    r"brief|concise|succinct|detailed|formal|informal|simple|plain|polite|friendly|step by step|"
    r"examples|paragraphs?|sentences?|words|lowercase|uppercase|jargon|my name|first name|"
    r"nickname)\b"
    r"|\bsay (?:that )?(?:i'm|i am|i was|we're|we are)\b"
    r"|\b(?:remind|wake|text|notify|ask|tell|give|show|teach) me\b"
)
OF_ONESELF = re.compile(
    r"\W*(?:(?:and|but|so|well|also|honestly|yeah|yes|no|oh)[, ]+){0,2}(?:i|i'm|i've|i'll|i'd|we|"
    r"we're|we've|we'll|my|our|he|she|they|it|this|that|there|his|her|their)\b"
)
AN_AGENT_IS_NAMED = re.compile(rf"\b(?:you|u|{_AGENT})\b")
