"""
Language of a word by a string kernel
=====================================

A string kernel compares words by the letters and letter groups that they share, without a dictionary. This example
recognises the language of names of numbers, weekdays and months in five languages. Accents are removed, so that
single letters do not give a language away.
"""

import unicodedata
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from mercer.explain import top_features
from mercer.kernels import Spectrum
from mercer.plots import COLOURS
from mercer.svm import SVC

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})

WORDS = {
    "English": """
        one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
        monday tuesday wednesday thursday friday saturday sunday january february march april may june july
        august september october november december
    """,
    "German": """
        eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
        siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert
        tausend montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz april mai juni
        juli august september oktober november dezember
    """,
    "French": """
        un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
        dix-huit dix-neuf vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix cent
        mille lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet
        août septembre octobre novembre décembre
    """,
    "Italian": """
        uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
        diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento
        mille lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio marzo aprile maggio
        giugno luglio agosto settembre ottobre novembre dicembre
    """,
    "Finnish": """
        yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen yksitoista kaksitoista
        kolmetoista neljätoista viisitoista kuusitoista seitsemäntoista kahdeksantoista yhdeksäntoista
        kaksikymmentä kolmekymmentä neljäkymmentä viisikymmentä kuusikymmentä seitsemänkymmentä
        kahdeksankymmentä yhdeksänkymmentä sata tuhat maanantai tiistai keskiviikko torstai perjantai lauantai
        sunnuntai tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu
        marraskuu joulukuu
    """,
}


def plain(word):
    """The word without accents, between two marks, so that beginnings and endings count."""
    letters = unicodedata.normalize("NFKD", word.replace("ß", "ss"))
    return "^" + "".join(letter for letter in letters if not unicodedata.combining(letter)) + "$"


pairs = [(plain(word), language) for language, words in WORDS.items() for word in words.split()]
words, languages = [word for word, _ in pairs], np.array([language for _, language in pairs])
print(f"{len(words)} words, such as", *words[:4])

# %%
# Shared letter groups
# --------------------
# ``Spectrum(3, blended=True)`` counts common groups of one, two and three letters. The scores are out-of-fold. Months
# and numbers have common roots in several languages, so not all words can be recognised.

kernel = Spectrum(3, blended=True).normalized()
folds = StratifiedKFold(5, shuffle=True, random_state=0)
predicted = cross_val_predict(SVC(kernel=kernel, C=10.0), words, languages, cv=folds)
accuracy = float(np.mean(predicted == languages))
print(f"accuracy {accuracy:.2f}, baseline {1 / len(WORDS):.2f}")
assert accuracy > 0.7

figure, ax = plt.subplots(figsize=(6.6, 5.4), layout="constrained")
ConfusionMatrixDisplay.from_predictions(languages, predicted, ax=ax, cmap="Blues", colorbar=False)
ax.set(title=f"Out-of-fold predictions, accuracy {accuracy:.0%}")

# %%
# What is typical of a language
# -----------------------------
# ``top_features`` splits the decision value of a word into contributions of its letter groups. Averaged over the
# words of a language, the largest ones are endings and spellings that a reader would name, too. ^ and $ mark the ends
# of a word.

figure, axes = plt.subplots(1, len(WORDS), figsize=(11.5, 3.6), layout="constrained")
for ax, language, colour in zip(axes, WORDS, COLOURS, strict=False):
    model = SVC(kernel=Spectrum(3, blended=True)).fit(words, languages == language)
    mean = Counter()
    for word in np.array(words)[languages == language]:
        mean.update({group: value / 48 for group, value in top_features(model, word, n=1000) if len(group) > 1})
    groups, values = zip(*mean.most_common(6)[::-1], strict=True)
    ax.barh(groups, values, color=colour)
    ax.set_yticks(range(6), groups, family="monospace")
    ax.set(title=language, xticks=[0])
figure.supxlabel("mean contribution to the decision for the language")

plt.show()
