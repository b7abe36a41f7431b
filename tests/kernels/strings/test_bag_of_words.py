"""The bag of words, against scikit-learn's CountVectorizer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from mercer.kernels.strings import BagOfWords, Spectrum
from mercer.preprocessing import FeatureMap
from mercer.testing import check_kernel

TEXTS = ["To be, or not to be", "let it be", "", "Or is it? It is.", "be"]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("mode", ["count", "presence"])
def test_it_is_the_product_of_counts(n, mode):
    vectorizer = CountVectorizer(token_pattern=r"\w+", ngram_range=(n, n), binary=mode == "presence")
    counts = vectorizer.fit_transform(TEXTS)
    np.testing.assert_array_equal(BagOfWords(mode, n=n)(TEXTS), (counts @ counts.T).toarray())
    features = FeatureMap(BagOfWords(mode, n=n)).fit(TEXTS)
    assert sorted(features.get_feature_names_out()) == sorted(vectorizer.get_feature_names_out())


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6), min_size=1, max_size=4))
def test_token_lists_are_taken_as_they_are(lists):
    np.testing.assert_array_equal(BagOfWords("min")(lists), Spectrum(1, "min")(lists))
    np.testing.assert_array_equal(BagOfWords()(lists), BagOfWords()([" ".join(words) for words in lists]))


def test_case_and_vocabulary():
    assert BagOfWords(case="keep")(["To be", "to BE"])[0, 1] == 0
    assert BagOfWords(alphabet=["be", "it"])(TEXTS)[0, 1] == 2
    assert BagOfWords(pattern=r"\S+")(["be, or", "be or"])[0, 1] == 1


@pytest.mark.parametrize("kernel", [BagOfWords(), BagOfWords("min", n=2), BagOfWords("presence").normalized()], ids=str)
def test_all_laws(kernel):
    check_kernel(kernel, TEXTS)


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match=r"pattern must be a regular expression, got '\('"):
        BagOfWords(pattern="(")
    with pytest.raises(TypeError, match="alphabet must be a sequence of words"):
        BagOfWords(alphabet="dna")
