package dev.lockstep.bench;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote beside this class, and the JDK that runs it. */
final class BuildVersion implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties build = new Properties();
        try (InputStream properties = BuildVersion.class.getResourceAsStream("build.properties")) {
            build.load(properties);
        }
        return new String[] {"lockstep " + build.getProperty("version"), "JDK " + Runtime.version()};
    }
}
