import { delimiter, dirname } from 'node:path';
import process from 'node:process';
import { nodeBinary } from './node-binary.mjs';
import { project, run } from './prepare.mjs';

// npm run test:node -- VERSION [FILES]: runs npm test on another Node, such as 22, which npm downloads into
// .mailbeacon/.
const [version, ...files] = process.argv.slice(2);
if (!version) {
  console.error('usage: npm run test:node -- VERSION [FILES], for example: npm run test:node -- 24 test/contract');
  process.exit(1);
}
process.chdir(project);
const binary = nodeBinary(version);
const environment = { PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
await run([binary, '--version']);
process.exitCode = await run([binary, 'scripts/test.mjs', ...files], environment);
