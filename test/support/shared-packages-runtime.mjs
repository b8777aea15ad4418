import { setFlagsFromString } from 'node:v8';
import vm, { compileFunction, constants, SourceTextModule, SyntheticModule } from 'node:vm';
import Runtime from 'jest-runtime';
import { hooksForJest } from './current-test.mjs';
import { SharedSources, sharesSources } from './shared-sources.mjs';

/**
 * Loads packages once per process, and product modules too (see shared-sources.mjs). Jest would load them again for
 * each test file, which took half of the time of all tests. All test files run in one context, so that one copy of a
 * package can serve them: see main-context-environment.mjs. Node itself loads the packages, as in production, so Jest
 * cannot mock them. This class replaces internals of Jest, so shared-packages.mjs uses it only for versions that it was
 * checked against.
 */
export default class SharedPackagesRuntime extends Runtime {
  constructor(...parameters) {
    super(...parameters);
    const { coreModule, esmLoader, executor, _resolution: resolution } = this;
    const requireCore = coreModule.require.bind(coreModule);
    coreModule.require = (name) => (name === 'node:async_hooks' ? hooksForJest : requireCore(name));
    const { watch, watchAll, collectCoverage } = parameters.at(-1);
    // In watch mode sources change between runs, and coverage is counted per test file.
    const isOnce = sharesSources && !(watch || watchAll || collectCoverage);
    const importFile = esmLoader.resolveModule.bind(esmLoader);
    esmLoader.resolveModule = (specifier, from, ...context) => {
      if (!isFile(specifier)) return importPackage(specifier);
      const source = isOnce ? sources.find(specifier, from) : undefined;
      return source === undefined ? importFile(specifier, from, ...context) : sources.linked(source);
    };
    sources.transform = (path) => {
      const code = esmLoader.transformCache.transform(path, AS_ES_MODULE);
      sources.sourceMaps.set(path, this.getSourceMaps().get(path));
      return code;
    };
    for (const [path, map] of sources.sourceMaps) this.getSourceMaps().set(path, map);
    // Newer versions of Node would link without calling resolveModule.
    resolution.hasDistinctAsyncResolver = () => true;
    // For both, an undefined context is the main context.
    esmLoader.getContext = () => undefined;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  /** Jest would replace a method of `process`, which is the real one here. */
  installGetBuiltinModule() {}
}

/** Whether the specifier is a file of this project. Jest resolves its own globals. */
function isFile(specifier) {
  return /^(\.{0,2}\/|file:|data:|@jest\/globals$)/.test(specifier);
}

/**
 * Keeps modules out of V8's compilation cache, which would keep each test file with all that its variables refer to:
 * the services that it started, several megabytes a file. The cache finds no such module again in any case, because
 * each has host options of its own.
 */
vm.SourceTextModule = class extends SourceTextModule {
  constructor(...parameters) {
    setFlagsFromString('--no-compilation-cache');
    try {
      super(...parameters);
    } finally {
      setFlagsFromString('--compilation-cache');
    }
  }
};

const AS_ES_MODULE = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};
const sources = new SharedSources(importPackage);
const packages = new Map();

function importPackage(specifier) {
  const imported = packages.get(specifier) ?? asVmModule(specifier);
  packages.set(specifier, imported);
  return imported;
}

/** Modules of node:vm can only be linked with modules of node:vm. */
async function asVmModule(specifier) {
  const exports = Object.entries(await import(specifier));
  const names = exports.map(([name]) => name);
  const module = new SyntheticModule(names, () => exports.forEach((entry) => module.setExport(...entry)), {
    identifier: specifier,
  });
  await module.link(() => undefined);
  await module.evaluate();
  return module;
}
