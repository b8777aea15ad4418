import { createHash } from 'node:crypto';
import { BoundedCache } from './bounded-cache.js';
import type { Requester } from './fair-queue.js';
import type { MjmlOutcome } from './mjml-compiler.js';
import { checkMjml, InvalidMjmlError, splitMjml } from './mjml.js';
import { RenderingLimitError } from './rendering-limit-error.js';

const MAX_MJML_BYTES = 256 * 1024;
/** The same limit as for HTML from clients. */
const MAX_COMPILED_BYTES = 5_000_000;
/** Characters of all cached results. */
const CACHE_LENGTH = 16 * 1024 * 1024;

/** A compilation in progress and its requesters. */
interface Compiling {
  readonly html: Promise<string>;
  readonly requesters: Requester[];
}

/** Compiles MJML to HTML. Caches results and compiles concurrent equal sources once. */
export class MjmlCompilations {
  private readonly compiled = new BoundedCache<string>(CACHE_LENGTH);
  private readonly compiling = new Map<string, Compiling>();

  constructor(private readonly compileInThread: (source: string, requester: Requester) => Promise<MjmlOutcome>) {}

  /**
   * @throws InvalidMjmlError with the compiler's first message and its line
   * @throws RenderingLimitError when the source is longer than MAX_MJML_BYTES or takes too much time or memory
   * @throws RenderingBusyError when the organization has too many waiting documents, RequesterGoneError
   */
  async compile(source: string, requester: Requester): Promise<string> {
    if (Buffer.byteLength(source) > MAX_MJML_BYTES) {
      throw new RenderingLimitError(`is MJML of more than ${MAX_MJML_BYTES / 1024} KB`);
    }
    const hash = createHash('sha256').update(source).digest('base64');
    const known = this.compiled.get(hash);
    if (known !== undefined) return known;
    // Shared within one organization only, so that no organization waits in the queue of another.
    const key = `${requester.organizationId} ${hash}`;
    const inProgress = this.compiling.get(key);
    if (inProgress !== undefined) {
      inProgress.requesters.push(requester);
      return inProgress.html;
    }
    const requesters = [requester];
    const html = this.htmlOf(source, { ...requester, hasGone: () => requesters.every((one) => one.hasGone?.()) });
    this.compiling.set(key, { html, requesters });
    try {
      const compiled = await html;
      this.compiled.set(hash, compiled, compiled.length);
    } finally {
      this.compiling.delete(key);
    }
    return html;
  }

  private async htmlOf(source: string, requester: Requester): Promise<string> {
    const { tags, mjml } = splitMjml(source);
    checkMjml(mjml);
    const outcome = await this.compileInThread(mjml, requester);
    switch (outcome.kind) {
      case 'compiled':
        if (Buffer.byteLength(outcome.html) <= MAX_COMPILED_BYTES) return tags + outcome.html;
        throw new RenderingLimitError(`compiles to more than ${MAX_COMPILED_BYTES} bytes of HTML`);
      case 'invalid':
        throw new InvalidMjmlError(outcome.message);
      case 'too deep':
        throw new RenderingLimitError('is MJML nested too deeply');
    }
  }
}
