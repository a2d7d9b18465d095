"""Photos in ten lines: one folder per class, a classifier, its accuracy on pictures that it has not seen.

    photos.py [FOLDER]      FOLDER/CLASS/*.jpg; without one, `muster synth` draws pictures
"""

import argparse
import subprocess

import muster
from sklearn.model_selection import cross_val_score, train_test_split

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder", nargs="?")
parser.add_argument("--quick", action="store_true", help="few pictures, as the tests run it")
parser.add_argument("--figure", help="a picture of the confusions to write (needs matplotlib)")
arguments = parser.parse_args()
folder = arguments.folder
if not folder:
    folder = "photos"
    subprocess.run(["muster", "synth", folder, "--classes", "4", "--per-class", "30" if arguments.quick else "60", "--quiet"], check=True)

data = muster.read_dataset(folder)
train, test, train_labels, test_labels = train_test_split(data.paths, data.labels, stratify=data.labels, random_state=0)

classifier = muster.SetClassifier("emk-fourier", n_jobs=-1).fit(train, train_labels)
print(f"{100 * classifier.score(test, test_labels):.1f} % of {len(test)} new pictures are right")
classifier.save("photos.muster")

explanation = classifier.explain(test[0])
strongest = explanation.strongest_for[0]
print(f"{explanation.label}: most of all for the patch at {explanation.places[strongest][:2]}")

scores = cross_val_score(classifier, data.paths, data.labels, cv=3)
print(f"{100 * scores.mean():.1f} % by cross-validation")

if arguments.figure:
    import matplotlib.pyplot as plt
    from sklearn.metrics import ConfusionMatrixDisplay

    ConfusionMatrixDisplay.from_predictions(test_labels, classifier.predict(test), cmap="Blues", colorbar=False)
    plt.tight_layout()
    plt.savefig(arguments.figure, dpi=80)
