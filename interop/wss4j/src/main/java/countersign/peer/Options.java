package countersign.peer;

import java.util.HashMap;
import java.util.Map;
import org.apache.wss4j.common.WSEncryptionPart;
import org.apache.wss4j.dom.WSConstants;

/** The words of one command: {@code name=value} pairs, in the ids that policy files use. */
final class Options {
  private static final Map<String, String> URIS =
      Map.ofEntries(
          Map.entry("rsa-sha1", WSConstants.RSA_SHA1),
          Map.entry("rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"),
          Map.entry("rsa-sha512", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"),
          Map.entry("rsa-pss-sha256", "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1"),
          Map.entry("ecdsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"),
          Map.entry("sha1", WSConstants.SHA1),
          Map.entry("sha256", WSConstants.SHA256),
          Map.entry("aes128-gcm", WSConstants.AES_128_GCM),
          Map.entry("aes192-gcm", WSConstants.AES_192_GCM),
          Map.entry("aes256-gcm", WSConstants.AES_256_GCM),
          Map.entry("aes128-cbc", WSConstants.AES_128),
          Map.entry("aes256-cbc", WSConstants.AES_256),
          Map.entry("3des-cbc", WSConstants.TRIPLE_DES),
          Map.entry("rsa-oaep", WSConstants.KEYTRANSPORT_RSAOAEP_XENC11),
          Map.entry("rsa-oaep-mgf1p", WSConstants.KEYTRANSPORT_RSAOAEP),
          Map.entry("rsa-1_5", WSConstants.KEYTRANSPORT_RSA15),
          Map.entry("mgf1-sha1", WSConstants.MGF_SHA1),
          Map.entry("mgf1-sha256", WSConstants.MGF_SHA256));

  private static final Map<String, Integer> REFERENCES =
      Map.of(
          "direct", WSConstants.BST_DIRECT_REFERENCE,
          "issuer-serial", WSConstants.ISSUER_SERIAL,
          "ski", WSConstants.SKI_KEY_IDENTIFIER,
          "thumbprint", WSConstants.THUMBPRINT_IDENTIFIER,
          "x509", WSConstants.X509_KEY_IDENTIFIER);

  private final Map<String, String> values = new HashMap<>();

  Options(String[] words, int from) {
    for (int i = from; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 0) throw new IllegalArgumentException("not name=value: " + words[i]);
      values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
  }

  String text(String name, String fallback) {
    return values.getOrDefault(name, fallback);
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  int number(String name, int fallback) {
    return values.containsKey(name) ? Integer.parseInt(values.get(name)) : fallback;
  }

  /** The URI of the algorithm id under {@code name}; null when the option is absent or "none". */
  String uri(String name, String fallback) {
    String id = text(name, fallback);
    if (id == null || id.equals("none")) return null;
    String uri = URIS.get(id);
    if (uri == null) throw new IllegalArgumentException("unknown algorithm " + id);
    return uri;
  }

  int reference(String name, String fallback) {
    Integer type = REFERENCES.get(text(name, fallback));
    if (type == null) throw new IllegalArgumentException("unknown reference " + text(name, fallback));
    return type;
  }

  static WSEncryptionPart part(String local, String namespace, String mode) {
    return new WSEncryptionPart(local, namespace, mode);
  }
}
