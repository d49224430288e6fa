import com.sun.source.util.JavacTask;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Parses Java files with the compiler and prints its errors, a line each. */
class Parse {
  public static void main(String[] files) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var errors = new DiagnosticCollector<JavaFileObject>();
    var manager = compiler.getStandardFileManager(errors, null, null);
    List<Path> paths = Stream.of(files).map(Path::of).toList();
    ((JavacTask) compiler.getTask(null, manager, errors, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(paths))).parse();
    errors.getDiagnostics().forEach(System.out::println);
  }
}
