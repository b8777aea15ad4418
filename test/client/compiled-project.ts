import { join } from 'node:path';
import ts from 'typescript';

/** The compiler's own declarations, parsed once for all projects. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/**
 * Compiles files as `tsc --noEmit --strict` does. It checks the project and the packages in it, but neither the
 * compiler's own declarations nor those of Node: they take most of the time and do not test our code.
 * @param options as in tsconfig.json
 * @returns what is wrong, in words; and the files that were checked
 */
export function compiled(folder: string, options: object, files: readonly string[]) {
  const { program, errors } = programOf(folder, options, files);
  const checked = program
    .getSourceFiles()
    .filter(({ fileName }) => !isLibrary(fileName) && !/\/(@types\/node|undici-types)\//.test(fileName));
  const found = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  const mistakes = found.map(({ file, messageText }) =>
    [file?.fileName ?? 'options', ts.flattenDiagnosticMessageText(messageText, ' ')].join(': '),
  );
  return { mistakes, checked: checked.map(({ fileName }) => fileName) };
}

function programOf(folder: string, given: object, files: readonly string[]) {
  const json = { noEmit: true, strict: true, target: 'es2022', ...given };
  const { options, errors } = ts.convertCompilerOptionsFromJson(json, folder);
  const host = ts.createCompilerHost(options);
  host.getCurrentDirectory = () => folder;
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => {
    if (!isLibrary(name)) return parse(name, ...rest);
    if (!libraries.has(name)) libraries.set(name, parse(name, ...rest));
    return libraries.get(name);
  };
  const rootNames = files.map((file) => join(folder, file));
  return { program: ts.createProgram({ rootNames, options, host }), errors };
}

function isLibrary(name: string): boolean {
  return /\/typescript\/lib\/lib\.[\w.]*d\.ts$/.test(name);
}
