import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { npm, prepare, project } from './prepare.mjs';

// npm run test:manifests: validates the manifests of deploy/kubernetes against the schemas of Kubernetes 1.36 and of
// the Prometheus operator. npm downloads these into .mailbeacon/ once; after that, this needs no network.
const SCHEMAS = ['kubernetes-models@5.1.0', '@kubernetes-models/prometheus-operator@6.0.0'];

await prepare();
const folder = join(project, '.mailbeacon', 'schemas', SCHEMAS.join('+').replaceAll('/', '_'));
install();
const documents = readManifests();
const problems = (await Promise.all(documents.map(invalidValues))).flat().concat(unknownFields());
for (const problem of problems) console.error(problem);
console.log(
  `${documents.length - new Set(problems.map((line) => line.split(': ')[0])).size} passed, ${problems.length} failed`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

function install() {
  if (existsSync(join(folder, 'complete'))) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const parameters = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...SCHEMAS];
  const [program, ...more] = npm(parameters);
  execFileSync(program, more, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(folder, 'complete'), '');
}

function readManifests() {
  const manifests = join(project, 'deploy', 'kubernetes');
  return readdirSync(manifests)
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(manifests, file), 'utf8'), { strict: true }).map((document) => {
        const content = document.toJS();
        return { name: `${file} ${content.kind}`, content, module: moduleOf(content) };
      }),
    );
}

function moduleOf({ apiVersion, kind }) {
  const ofOperator = apiVersion.startsWith('monitoring.coreos.com/');
  const schemas = ofOperator ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${schemas}/${apiVersion}/${kind}`;
}

/** Violations of the schema: types, required fields, values outside a set. */
async function invalidValues({ name, content, module }) {
  const models = await import(join(folder, 'node_modules', `${module}.js`));
  try {
    new models[content.kind](content).validate();
    return [];
  } catch (error) {
    return [`${name}: ${error.message}`];
  }
}

/** Schemas allow additional fields, as clients must. TypeScript does not, and it has the same types. */
function unknownFields() {
  const source = join(folder, 'manifests.ts');
  const lines = documents.map(({ content, module }, index) => {
    const type = `import('${module}').I${content.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(content)};`;
  });
  writeFileSync(source, lines.join('\n'));
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 };
  const resolution = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  const program = ts.createProgram([source], { ...options, ...resolution });
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line;
    const name = documents[line ?? 0]?.name;
    return `${name}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
  });
}
