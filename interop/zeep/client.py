"""A zeep client: one signed call to a gateway, its signed answer verified. Prints one line of JSON."""

import argparse
import datetime
import json
import sys
import uuid

import xmlsec
from lxml import etree
from zeep import Client, Settings, ns
from zeep.transports import Transport
from zeep.wsse.compose import Compose
from zeep.wsse.signature import BinarySignature, Signature
from zeep.wsse.utils import get_security_header

WSU = etree.QName(ns.WSU, "Timestamp").namespace


class Timestamp:
    """What zeep lacks: a wsu:Timestamp, put before the signature so that zeep signs it."""

    def apply(self, envelope, headers):
        security = get_security_header(envelope)
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        timestamp = etree.SubElement(security, etree.QName(WSU, "Timestamp"))
        timestamp.set(etree.QName(WSU, "Id"), "TS-" + uuid.uuid4().hex)
        for name, moment in (("Created", now), ("Expires", now + datetime.timedelta(seconds=300))):
            etree.SubElement(timestamp, etree.QName(WSU, name)).text = moment.isoformat()
        return envelope, headers

    def verify(self, envelope):
        return envelope


class SignedCall:
    """zeep signs with its own key and verifies answers with the partner's: two objects, where zeep has one."""

    def __init__(self, arguments, methods):
        kind = Signature if arguments.plain_signature else BinarySignature
        self._own = kind(arguments.key, arguments.certificate, **methods)
        self._partner = BinarySignature(arguments.key, arguments.partner, **methods)

    def apply(self, envelope, headers):
        return self._own.apply(envelope, headers)

    def verify(self, envelope):
        return self._partner.verify(envelope)


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("--wsdl", "--endpoint", "--key", "--certificate", "--partner"):
        parser.add_argument(name, required=True)
    parser.add_argument("--sha1", action="store_true", help="zeep's own default algorithms")
    parser.add_argument("--no-timestamp", action="store_true")
    parser.add_argument("--plain-signature", action="store_true", help="X509Data instead of a BinarySecurityToken")
    return parser.parse_args()


def main():
    args = arguments()
    methods = {} if args.sha1 else {
        "signature_method": xmlsec.Transform.RSA_SHA256,
        "digest_method": xmlsec.Transform.SHA256,
    }
    steps = [] if args.no_timestamp else [Timestamp()]
    client = Client(args.wsdl, wsse=Compose([*steps, SignedCall(args, methods)]), settings=Settings(strict=True), transport=Transport(timeout=20))
    binding = next(iter(client.wsdl.bindings))
    service = client.create_service(binding, args.endpoint)
    operation = next(iter(client.wsdl.bindings[binding].all()))
    try:
        answer = service[operation](**json.load(sys.stdin))
        print(json.dumps({"ok": True, "operation": operation, "answer": str(answer)}))
    except Exception as failure:  # the runner judges; every failure is told to it, none is hidden
        print(json.dumps({"ok": False, "error": type(failure).__name__, "message": str(failure)}))


main()
