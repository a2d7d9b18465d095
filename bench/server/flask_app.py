"""The peer: the same job (dense SIFT, a bag of visual words, a linear SVM with probabilities) as a Flask service with OpenCV and
scikit-learn.   flask_app.py train FOLDER MODEL;  MODEL=... gunicorn flask_app:app"""

import os
import pathlib
import sys

import cv2
import joblib
import numpy as np

STEP, PATCH, LONGEST, WORDS = 8, 16, 300, 200
cv2.setNumThreads(1)
sift = cv2.SIFT_create()


def descriptors(data):
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    if image is None:
        raise ValueError("not a picture")
    scale = LONGEST / max(image.shape)
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    rows, cols = image.shape
    # OpenCV multiplies the size by 1.5 to get the width of one of the four cells per side, and looks beyond them.
    points = [cv2.KeyPoint(float(x), float(y), PATCH / 4, 0) for y in range(PATCH // 2, rows - PATCH // 2 + 1, STEP)
              for x in range(PATCH // 2, cols - PATCH // 2 + 1, STEP)]
    return sift.compute(image, points)[1]


def histogram(words, vectors):
    counts = np.bincount(words.predict(vectors), minlength=WORDS).astype(np.float64)
    return counts / np.linalg.norm(counts)


def train(folder, model):
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.svm import LinearSVC
    files = sorted(p for p in pathlib.Path(folder).glob("*/*") if p.suffix in (".png", ".jpg"))
    sets = [descriptors(p.read_bytes()) for p in files]
    words = MiniBatchKMeans(WORDS, random_state=1, n_init=1).fit(np.concatenate(sets))
    names = np.array([p.parent.name for p in files])
    classifier = CalibratedClassifierCV(LinearSVC(C=1.0), cv=3).fit([histogram(words, s) for s in sets], names)
    joblib.dump((words, classifier), model)


if __name__ == "__main__":
    train(*sys.argv[2:])
else:
    import flask
    words, classifier = joblib.load(os.environ["MODEL"])
    app = flask.Flask(__name__)

    @app.post("/predict")
    def predict():
        try:
            vector = histogram(words, descriptors(flask.request.get_data()))
        except ValueError as error:
            return flask.jsonify(error=str(error)), 422
        p = classifier.predict_proba([vector])[0]
        best = int(np.argmax(p))
        return flask.jsonify(predictions=[{"class": str(classifier.classes_[best]), "probability": float(p[best])}])
