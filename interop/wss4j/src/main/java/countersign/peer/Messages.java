package countersign.peer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import javax.crypto.SecretKey;
import javax.security.auth.callback.Callback;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.common.util.KeyUtils;
import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.WSDataRef;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.engine.WSSecurityEngineResult;
import org.apache.wss4j.dom.handler.RequestData;
import org.apache.wss4j.dom.handler.WSHandlerResult;
import org.apache.wss4j.dom.message.WSSecEncrypt;
import org.apache.wss4j.dom.message.WSSecHeader;
import org.apache.wss4j.dom.message.WSSecSignature;
import org.apache.wss4j.dom.message.WSSecTimestamp;
import org.w3c.dom.Document;

/** Protects and unprotects one message, bytes to bytes, with WSS4J's DOM engine. */
final class Messages {
  private static final String SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/";

  private final Keys keys;
  private final DocumentBuilder builder;
  private final Transformer transformer;
  private final WSSecurityEngine engine = new WSSecurityEngine();

  Messages(Keys keys) throws Exception {
    this.keys = keys;
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    builder = factory.newDocumentBuilder();
    transformer = TransformerFactory.newInstance().newTransformer();
    transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
  }

  /** Timestamp, Signature over Body and Timestamp, encryption of the Body's content; each may be left out by {@code steps}. */
  byte[] produce(byte[] plain, Options options) throws Exception {
    Document document = builder.parse(new ByteArrayInputStream(plain));
    String soap = document.getDocumentElement().getNamespaceURI();
    List<String> steps = List.of(options.text("steps", "timestamp,sign,encrypt").split(","));
    WSSecHeader header = new WSSecHeader(document);
    header.insertSecurityHeader();

    if (steps.contains("timestamp")) {
      WSSecTimestamp timestamp = new WSSecTimestamp(header);
      timestamp.setTimeToLive(300);
      timestamp.build();
    }
    if (steps.contains("sign")) sign(header, soap, steps.contains("timestamp"), options);
    if (steps.contains("encrypt")) encrypt(header, soap, options);

    ByteArrayOutputStream out = new ByteArrayOutputStream(plain.length * 2 + 8192);
    transformer.transform(new DOMSource(document), new StreamResult(out));
    return out.toByteArray();
  }

  private void sign(WSSecHeader header, String soap, boolean timestamp, Options options) throws Exception {
    WSSecSignature signature = new WSSecSignature(header);
    signature.setUserInfo(keys.alias, keys.password);
    signature.setKeyIdentifierType(options.reference("reference", "direct"));
    signature.setSignatureAlgorithm(options.uri("signature", "rsa-sha256"));
    signature.setDigestAlgo(options.uri("digest", "sha256"));
    signature.getParts().add(Options.part("Body", soap, ""));
    if (timestamp) signature.getParts().add(Options.part("Timestamp", WSConstants.WSU_NS, ""));
    signature.build(keys.crypto);
  }

  private void encrypt(WSSecHeader header, String soap, Options options) throws Exception {
    WSSecEncrypt encrypt = new WSSecEncrypt(header);
    encrypt.setUserInfo("partner");
    encrypt.setKeyIdentifierType(options.reference("encrypt-reference", "thumbprint"));
    encrypt.setSymmetricEncAlgorithm(options.uri("cipher", "aes128-gcm"));
    encrypt.setKeyEncAlgo(options.uri("transport", "rsa-oaep"));
    encrypt.setDigestAlgorithm(options.uri("oaep-digest", null));
    encrypt.setMGFAlgorithm(options.uri("oaep-mgf", null));
    encrypt.getParts().add(Options.part("Body", soap, options.text("mode", "Content")));
    SecretKey key = KeyUtils.getKeyGenerator(options.uri("cipher", "aes128-gcm")).generateKey();
    encrypt.build(keys.crypto, key);
  }

  /** What a message proved: one word per result, with the elements it covers, then the message as WSS4J left it. */
  Consumed consume(byte[] secured, Options options) throws Exception {
    Document document = builder.parse(new ByteArrayInputStream(secured));
    RequestData request = new RequestData();
    request.setSigVerCrypto(keys.crypto);
    request.setDecCrypto(keys.crypto);
    request.setAllowRSA15KeyTransportAlgorithm(options.has("rsa15"));
    request.setDisableBSPEnforcement(options.has("no-bsp"));
    request.setCallbackHandler(
        callbacks -> {
          for (Callback callback : callbacks) {
            if (callback instanceof WSPasswordCallback wanted) wanted.setPassword(keys.password);
          }
        });
    WSHandlerResult result = engine.processSecurityHeader(document, request);
    if (result == null) throw new SecurityException("no Security header");
    return new Consumed(document, result.getResults());
  }

  byte[] serialise(Document document) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream(8192);
    transformer.transform(new DOMSource(document), new StreamResult(out));
    return out.toByteArray();
  }

  record Consumed(Document document, List<WSSecurityEngineResult> results) {
    /** {@code signature:Body,Timestamp encryption:Body timestamp}, in the order of WSS4J's results. */
    String summary() {
      StringBuilder text = new StringBuilder();
      for (WSSecurityEngineResult result : results) {
        int action = (Integer) result.get(WSSecurityEngineResult.TAG_ACTION);
        String name =
            switch (action) {
              case WSConstants.SIGN -> "signature";
              case WSConstants.ENCR -> "encryption";
              case WSConstants.TS -> "timestamp";
              default -> null;
            };
        if (name == null) continue;
        if (text.length() > 0) text.append(' ');
        text.append(name);
        @SuppressWarnings("unchecked")
        List<WSDataRef> references = (List<WSDataRef>) result.get(WSSecurityEngineResult.TAG_DATA_REF_URIS);
        if (references == null || references.isEmpty()) continue;
        text.append(':');
        for (int i = 0; i < references.size(); i++) {
          if (i > 0) text.append(',');
          text.append(references.get(i).getName().getLocalPart());
        }
      }
      return text.toString();
    }
  }
}
