package dev.lockstep.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote beside this class, and the JDK that runs it. */
final class BuildVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"lockstep " + version(), "JDK " + Runtime.version()};
    }

    /** The version of this program. */
    static String version() {
        Properties build = new Properties();
        try (InputStream properties = BuildVersion.class.getResourceAsStream("build.properties")) {
            build.load(properties);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read build.properties, which the build writes", e);
        }
        return build.getProperty("version");
    }
}
