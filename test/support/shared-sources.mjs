import { existsSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SourceTextModule } from 'node:vm';

const project = resolve(import.meta.dirname, '..', '..');
const SHARED = ['src', 'packages/client/src', 'test/support/openapi'].map((folder) => resolve(project, folder) + sep);

/** Set it to `off` to find out whether a test fails because of state that another test left. */
export const sharesSources = process.env.SHARED_SOURCES !== 'off';

/**
 * Loads product modules once per process for all test files, as a production process loads them once for all requests:
 * code that one test file has warmed up serves the next. So these modules must keep no state that one test could leave
 * to another. Test files and the other modules in test/ are loaded for each file, except those of the OpenAPI document,
 * whose schemas take long to compile.
 */
export class SharedSources {
  #modules = new Map();
  /** Source maps of modules that earlier test files loaded; Jest reads them from here. */
  sourceMaps = new Map();
  #linking = Promise.resolve();

  /** @param importPackage returns the module of a package */
  constructor(importPackage) {
    this.importPackage = importPackage;
  }

  /** @returns the path of the product module that the specifier resolves to, if it is one */
  find(specifier, from) {
    if (!/^(\.{1,2}\/|\/|file:)/.test(specifier)) return undefined;
    const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(dirname(from), specifier);
    if (!SHARED.some((folder) => path.startsWith(folder))) return undefined;
    const source = path.replace(/\.js$/, '.ts');
    return /\.ts$/.test(source) && existsSync(source) ? source : undefined;
  }

  /** Links one graph after the other: Node does not wait for a module that another graph is linking. */
  async linked(path) {
    const linked = this.#linking.then(() => this.#link(path));
    this.#linking = linked.catch(() => this.#modules.clear());
    return linked;
  }

  async #link(path) {
    const module = this.#module(path);
    if (module.status === 'unlinked')
      await module.link((specifier, { identifier }) => this.#next(specifier, identifier));
    return module;
  }

  #next(specifier, from) {
    const path = this.find(specifier, from);
    return path === undefined ? this.importPackage(specifier) : this.#module(path);
  }

  #module(path) {
    let module = this.#modules.get(path);
    if (module === undefined) this.#modules.set(path, (module = this.#compile(path)));
    return module;
  }

  #compile(path) {
    return new SourceTextModule(this.transform(path), {
      identifier: path,
      initializeImportMeta: (meta) => {
        meta.url = pathToFileURL(path).href;
        meta.filename = path;
        meta.dirname = dirname(path);
      },
      importModuleDynamically: async (specifier) => {
        const next = this.find(specifier, path);
        const module = await (next === undefined ? this.importPackage(specifier) : this.linked(next));
        await module.evaluate();
        return module;
      },
    });
  }
}
