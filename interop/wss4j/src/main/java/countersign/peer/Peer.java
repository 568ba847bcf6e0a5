package countersign.peer;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Security;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/**
 * A long-lived WSS4J peer on standard input and output.
 *
 * <p>Request: one line {@code COMMAND LENGTH name=value…}, then LENGTH bytes. Answer: one line {@code ok LENGTH
 * PROCESS_CPU_US THREAD_CPU_US SUMMARY} or {@code error LENGTH 0 0 CLASS}, then LENGTH bytes. Commands: produce, consume; with
 * {@code repeat=N} the work is done N times and the CPU times are of all of them.
 */
public final class Peer {
  /** Kept, so that its level is: Santuario warns about every missing MGF, at a cost that would spoil the benches. */
  private static final Logger NOISE = Logger.getLogger("org.apache");

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final Messages messages;

  private Peer(Messages messages) {
    this.messages = messages;
  }

  /** Arguments: own.p12 partner.pem ca.pem password [provider]. */
  public static void main(String[] args) throws Exception {
    NOISE.setLevel(Level.OFF);
    if (args.length > 4 && args[4].equals("bc")) Security.insertProviderAt(new BouncyCastleProvider(), 1);
    WSSConfig.init();
    Keys keys = Keys.open(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]), args[3]);
    new Peer(new Messages(keys)).serve();
  }

  private void serve() throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    OutputStream out = new BufferedOutputStream(System.out);
    for (String line = readLine(in); line != null; line = readLine(in)) {
      String[] words = line.split(" ");
      byte[] body = in.readNBytes(Integer.parseInt(words[1]));
      answer(out, words, body);
      out.flush();
    }
  }

  private void answer(OutputStream out, String[] words, byte[] body) throws IOException {
    long process = system.getProcessCpuTime();
    long thread = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    try {
      Options options = new Options(words, 2);
      int repeat = options.number("repeat", 1);
      byte[] result = new byte[0];
      String summary = "-";
      for (int i = 0; i < repeat; i++) {
        if (words[0].equals("produce")) {
          result = messages.produce(body, options);
        } else {
          Messages.Consumed consumed = messages.consume(body, options);
          summary = consumed.summary();
          if (i == 0) result = messages.serialise(consumed.document());
        }
      }
      long cpu = (system.getProcessCpuTime() - process) / 1000;
      long own = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - thread) / 1000;
      write(out, "ok", result, cpu + " " + own + " " + summary);
    } catch (Exception failure) {
      StringBuilder reason = new StringBuilder();
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) reason.append(cause).append('\n');
      write(out, "error", reason.toString().getBytes(StandardCharsets.UTF_8), "0 0 " + failure.getClass().getSimpleName());
    }
  }

  private static void write(OutputStream out, String status, byte[] body, String rest) throws IOException {
    out.write((status + " " + body.length + " " + rest + "\n").getBytes(StandardCharsets.UTF_8));
    out.write(body);
  }

  private static String readLine(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) return null;
      line.append((char) c);
    }
    return line.toString();
  }
}
