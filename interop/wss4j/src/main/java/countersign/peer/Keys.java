package countersign.peer;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collections;
import org.apache.wss4j.common.crypto.Crypto;
import org.apache.wss4j.common.crypto.Merlin;

/** The peer's keys: its own PKCS#12, the partner's certificate under alias "partner", the CA as trust. */
final class Keys {
  final Crypto crypto;
  final String alias;
  final String password;

  private Keys(Crypto crypto, String alias, String password) {
    this.crypto = crypto;
    this.alias = alias;
    this.password = password;
  }

  static Keys open(Path p12, Path partner, Path authority, String password) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(p12)) {
      store.load(in, password.toCharArray());
    }
    String alias = null;
    for (String name : Collections.list(store.aliases())) {
      if (store.isKeyEntry(name)) alias = name;
    }
    store.setCertificateEntry("partner", certificate(partner));

    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("ca", certificate(authority));

    Merlin merlin = new Merlin();
    merlin.setKeyStore(store);
    merlin.setTrustStore(trust);
    return new Keys(merlin, alias, password);
  }

  private static X509Certificate certificate(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }
}
