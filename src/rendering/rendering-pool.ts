import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { signingKeyOf } from '../links/email-tracking-id.js';
import { UnknownSigningKeyError } from '../links/link-token.js';
import type { SigningKeys } from '../links/signing-keys.js';
import { BoundedCache } from './bounded-cache.js';
import type { MjmlOutcome } from './mjml-compiler.js';
import { InvalidMjmlError, refuseIncludes } from './mjml.js';
import { renderEmail, type RenderedEmail, type RenderRequest } from './render-email.js';
import { RenderingLimitError } from './rendering-limit-error.js';
import type { MjmlTask, RenderTask } from './rendering-thread.js';
import { ThreadPool, type ThreadLimits } from './thread-pool.js';

/**
 * Shorter HTML renders at once. At its worst, with code that is not yet optimized, it holds the event loop for some
 * 16 ms; what is longer goes to a thread.
 */
export const INLINE_LENGTH = 1024;
export const MAX_MJML_BYTES = 256 * 1024;
/** As for HTML that comes from outside. */
const MAX_COMPILED_BYTES = 5_000_000;
const CACHE_LENGTH = 16 * 1024 * 1024;

const DEFAULT_LIMITS: ThreadLimits = {
  timeLimitMs: 2000,
  memoryLimitMb: 256,
  maxThreads: Math.max(1, Math.min(4, availableParallelism() - 1)),
};

/** The compiled thread code: sources are TypeScript, which threads do not read, so that tests run the built one. */
const THREAD_MODULE = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/rendering/rendering-thread.js' : './rendering-thread.js',
  import.meta.url,
);

/** Renders emails and compiles MJML without ever holding up the event loop. Threads start with the first large task. */
export class RenderingPool {
  private readonly limits: ThreadLimits;
  private readonly compiled = new BoundedCache(CACHE_LENGTH);
  private readonly compiling = new Map<string, Promise<string>>();
  private pool: ThreadPool | undefined;

  constructor(limits: Partial<ThreadLimits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /**
   * The same as `renderEmail`, in a thread when the HTML is large.
   * @throws RenderingLimitError when it takes too much time or memory
   * @throws UnknownSigningKeyError if the key of the tracking ID is not among `keys`
   */
  async render(request: RenderRequest, keys: SigningKeys): Promise<RenderedEmail> {
    if (request.html.length <= INLINE_LENGTH) return renderEmail(request, keys);
    const key = signingKeyOf(keys, request.emailTrackingId);
    if (key === undefined) throw new UnknownSigningKeyError();
    const { id, secret } = key;
    return this.threads.run<RenderedEmail>('render', { request, key: { id, secret } } satisfies Omit<
      RenderTask,
      'start'
    >);
  }

  /**
   * Compiles MJML to HTML, once for equal sources that come again soon.
   * @throws InvalidMjmlError with the compiler's first message and its line
   * @throws RenderingLimitError when the source is longer than MAX_MJML_BYTES or takes too much time or memory
   */
  async compileMjml(source: string): Promise<string> {
    if (Buffer.byteLength(source) > MAX_MJML_BYTES) {
      throw new RenderingLimitError(`is MJML of more than ${MAX_MJML_BYTES / 1024} KB`);
    }
    const hash = createHash('sha256').update(source).digest('base64');
    const known = this.compiled.get(hash) ?? this.compiling.get(hash);
    if (known !== undefined) return known;
    const compiling = this.compile(source).finally(() => this.compiling.delete(hash));
    this.compiling.set(hash, compiling);
    const html = await compiling;
    this.compiled.set(hash, html);
    return html;
  }

  async close(): Promise<void> {
    await this.pool?.close();
  }

  private async compile(source: string): Promise<string> {
    refuseIncludes(source);
    const outcome = await this.threads.run<MjmlOutcome>('compileMjml', { source } satisfies Omit<MjmlTask, 'start'>);
    switch (outcome.kind) {
      case 'compiled':
        if (Buffer.byteLength(outcome.html) <= MAX_COMPILED_BYTES) return outcome.html;
        throw new RenderingLimitError(`compiles to more than ${MAX_COMPILED_BYTES} bytes of HTML`);
      case 'invalid':
        throw new InvalidMjmlError(outcome.message);
      case 'too deep':
        throw new RenderingLimitError('is MJML nested too deeply');
    }
  }

  private get threads(): ThreadPool {
    return (this.pool ??= new ThreadPool(THREAD_MODULE, this.limits));
  }
}
