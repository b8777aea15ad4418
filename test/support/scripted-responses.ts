import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A response, sent at once or when `after` settles. The stub sends a text body as it is, anything else as JSON. */
export interface ScriptedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly after?: Promise<unknown>;
}

export interface ScriptedFault {
  /**
   * reset-before-body: cuts the connection while the request is being sent (only under '*': the ID is in the body);
   * reset, close: cuts it after the whole request, without a response; silence: never responds; drip: a response whose
   * headers never end; drip-body: headers, then a body that never ends.
   */
  readonly fault: 'reset-before-body' | 'reset' | 'close' | 'silence' | 'drip' | 'drip-body';
  /** Whether the provider accepted the message in spite of the fault. */
  readonly accepts?: boolean;
  /** Status of a dripped response. */
  readonly status?: number;
  /** Called after each byte of a dripped response. */
  readonly dripped?: () => void;
}

/** How the stub of a provider's HTTP API behaves for one request. */
export type ScriptedStep = ScriptedResponse | ScriptedFault;

const DRIP_MS = 5;
/** By then, a client in the same process has read the headers. */
const DRIPS_AFTER_HEADERS = 10;

/**
 * A response whose body never ends, and a deadline that passes after that many bytes of it: by default once its
 * headers have arrived.
 */
export function endlessBody(
  status: number,
  bytes = DRIPS_AFTER_HEADERS,
): { readonly step: ScriptedFault; readonly deadline: AbortSignal } {
  const deadline = new AbortController();
  let drips = 0;
  const dripped = (): void => {
    drips += 1;
    if (drips === bytes) deadline.abort(new DOMException('Timed out', 'TimeoutError'));
  };
  return { step: { fault: 'drip-body', status, dripped }, deadline: deadline.signal };
}

/** @param drippedHeaders of a response whose body never ends */
export async function perform(
  step: ScriptedStep,
  response: ServerResponse,
  drippedHeaders: Readonly<Record<string, string>> = {},
): Promise<void> {
  if ('fault' in step) misbehave(step, response, drippedHeaders);
  else await respond(step, response);
}

/** True if the provider accepted the message. */
export function accepts(step: ScriptedStep): boolean {
  return 'fault' in step ? (step.accepts ?? false) : step.status < 300;
}

async function respond(step: ScriptedResponse, response: ServerResponse): Promise<void> {
  await step.after;
  const text = typeof step.body === 'string' ? step.body : step.body === undefined ? '' : JSON.stringify(step.body);
  const type = typeof step.body === 'string' ? 'text/html' : 'application/json';
  response.writeHead(step.status, { 'Content-Type': type, ...step.headers }).end(text);
}

function misbehave(
  { fault, status = 202, dripped }: ScriptedFault,
  response: ServerResponse,
  drippedHeaders: Readonly<Record<string, string>>,
): void {
  const socket = response.socket as Socket;
  if (fault === 'reset') socket.resetAndDestroy();
  if (fault === 'close') socket.end();
  if (fault === 'drip-body') response.writeHead(status, { ...drippedHeaders, 'Content-Length': '1000000' });
  if (fault === 'drip' || fault === 'drip-body') {
    if (fault === 'drip') socket.write(`HTTP/1.1 ${status} Slow\r\nX-Slow: `);
    else response.flushHeaders();
    const timer = setInterval(() => {
      socket.write('.');
      dripped?.();
    }, DRIP_MS);
    socket.once('close', () => clearInterval(timer));
  }
}
