"""A client of the Open Inference Protocol, version 2, over REST, written from the text of its specification
(github.com/kserve/open-inference-protocol, specification/protocol/inference_rest.md): it knows nothing of muster and checks that
every answer has the fields and types that the protocol names."""

import json

TYPES = {"BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64", "BYTES"}


class ProtocolError(AssertionError):
    """The server does not keep to the protocol."""


class ServerError(Exception):
    """An error object of the protocol."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def need(condition, text):
    if not condition:
        raise ProtocolError(text)


def field(document, name, kind):
    need(name in document, f"no '{name}' in {document}")
    need(isinstance(document[name], kind) and (kind is bool or not isinstance(document[name], bool)),
         f"'{name}' is not a {kind.__name__} in {document}")
    return document[name]


def flat(values):
    """Row-major elements of data that may be nested as the shape is."""
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        else:
            yield value


class Client:
    """`connect()` gives a fresh http.client.HTTPConnection."""

    def __init__(self, connect):
        self.connect = connect

    def call(self, method, path, document=None):
        connection = self.connect()
        body = None if document is None else json.dumps(document)
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        need(response.headers.get_content_type() == "application/json", f"{path} is {response.headers['Content-Type']}")
        answer = json.loads(text)
        need(isinstance(answer, dict), f"{path} is not an object")
        if response.status != 200:
            need(response.status >= 400, f"{path}: status {response.status}")
            raise ServerError(response.status, field(answer, "error", str))
        return answer

    def live(self):
        return field(self.call("GET", "/v2/health/live"), "live", bool)

    def ready(self):
        return field(self.call("GET", "/v2/health/ready"), "live", bool)

    def server(self):
        answer = self.call("GET", "/v2")
        for name, kind in (("name", str), ("version", str), ("extensions", list)):
            field(answer, name, kind)
        return answer

    def model_ready(self, model):
        answer = self.call("GET", f"/v2/models/{model}/ready")
        need(field(answer, "name", str) == model, "another model")
        return field(answer, "ready", bool)

    def model(self, model):
        answer = self.call("GET", f"/v2/models/{model}")
        need(field(answer, "name", str) == model, "another model")
        field(answer, "platform", str)
        for tensor in field(answer, "inputs", list) + field(answer, "outputs", list):
            field(tensor, "name", str)
            need(field(tensor, "datatype", str) in TYPES, f"datatype {tensor['datatype']}")
            need(all(isinstance(side, int) and side >= -1 for side in field(tensor, "shape", list)), f"shape of {tensor}")
        return answer

    def infer(self, model, inputs, outputs=None, request_id=None):
        """The output tensors by name, as (datatype, shape, flat data). `inputs` are (name, datatype, shape, data)."""
        request = {"inputs": [dict(zip(("name", "datatype", "shape", "data"), tensor)) for tensor in inputs]}
        if request_id is not None:
            request["id"] = request_id
        if outputs is not None:
            request["outputs"] = [{"name": name} for name in outputs]
        answer = self.call("POST", f"/v2/models/{model}/infer", request)
        need(field(answer, "model_name", str) == model, "another model")
        if request_id is not None:
            need(field(answer, "id", str) == request_id, "another id")
        tensors = {}
        for tensor in field(answer, "outputs", list):
            shape, values = field(tensor, "shape", list), list(flat(field(tensor, "data", list)))
            need(field(tensor, "datatype", str) in TYPES, f"datatype {tensor['datatype']}")
            count = 1
            for side in shape:
                count *= side
            need(count == len(values), f"shape {shape} and {len(values)} elements")
            tensors[field(tensor, "name", str)] = (tensor["datatype"], shape, values)
        need(outputs is None or set(tensors) == set(outputs), f"asked for {outputs}, got {set(tensors)}")
        return tensors
