import { executionAsyncResource } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import vm, { type Module } from 'node:vm';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';

function settingsFor(version: string): unknown {
  const program = `import { sharedPackages } from './test/support/shared-packages.mjs';
    console.log(JSON.stringify(sharedPackages('${version}')));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  return JSON.parse(text);
}

it('runs the tests with the defaults of Jest for versions whose internals were not checked', () => {
  expect(settingsFor('30.6.0')).toEqual({ testEnvironment: 'node' });
  expect(settingsFor('31.0.0')).toEqual({ testEnvironment: 'node' });
});

it('lets test files share packages with the versions that were checked', () => {
  expect(settingsFor('30.5.9')).toHaveProperty('runtime');
});

it('lets Jest hand nothing from each promise to the next', async () => {
  await Promise.resolve();
  const resource = executionAsyncResource() as Record<symbol, unknown>;
  const symbols = Object.getOwnPropertySymbols(resource);
  const stores = symbols
    .filter(({ description }) => description === 'kResourceStore')
    .map((symbol) => resource[symbol]);
  // Other storages, such as that of traces, may be there.
  expect(stores.filter((store) => typeof store === 'object' && store !== null && 'test' in store)).toEqual([]);
});

it('keeps no test file in memory after its end', async () => {
  const file = new WeakRef(await evaluated('export const service = {};'));
  await eventually(() => {
    collectGarbage();
    return file.deref() === undefined;
  });
});

async function evaluated(code: string): Promise<Module> {
  const module = new vm.SourceTextModule(code);
  await module.link(() => Promise.reject(new Error('It imports nothing')));
  await module.evaluate();
  return module;
}
