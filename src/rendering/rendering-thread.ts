import { SigningKeys } from '../links/signing-keys.js';
import type { MjmlOutcome } from './mjml-compiler.js';
import { renderEmail, type RenderedEmail, type RenderRequest } from './render-email.js';
import { markStart, type TaskStart } from './task-start.js';

/*
 * What a thread of the rendering pool runs. Messages between threads are plain data: errors of our own would lose
 * their class on the way, so that what the caller has to tell apart is returned.
 */

interface Task {
  /** Marked when the work starts: waiting for a thread and loading its code do not count against the time limit. */
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
  // Loaded here and not above: the compiler is large, and threads that only render do without it.
  const { compile } = await import('./mjml-compiler.js');
  markStart(start);
  return compile(source);
}
