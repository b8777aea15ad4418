import { SigningKeys } from '../links/signing-keys.js';
import type { MjmlOutcome } from './mjml-compiler.js';
import { renderEmail, type RenderedEmail, type RenderRequest } from './render-email.js';
import { markStart, type TaskStart } from './task-start.js';

/*
 * The code of the rendering threads. Messages between threads are plain data, so errors would lose their class.
 * Outcomes that the caller has to distinguish are therefore returned.
 */

interface Task {
  /** Set when the work starts. Waiting for a thread and loading its code do not count toward the time limit. */
  readonly start: TaskStart;
}

export interface RenderTask extends Task {
  readonly request: RenderRequest;
  readonly key: { readonly id: number; readonly secret: Uint8Array };
}

export interface MjmlTask extends Task {
  readonly source: string;
}

export function render({ request, key, start }: RenderTask): RenderedEmail {
  markStart(start);
  return renderEmail(request, new SigningKeys([{ id: key.id, secret: Buffer.from(key.secret) }]));
}

export async function compileMjml({ source, start }: MjmlTask): Promise<MjmlOutcome> {
  // Imported lazily, because the compiler is large and threads that only render do not need it.
  const { compile } = await import('./mjml-compiler.js');
  markStart(start);
  return compile(source);
}
