import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';

/** Together with the seconds for which processes cache keys, this ends a request within 5 seconds of a revocation. */
export const RECHECK_MS = 1_000;

/** True for uploads and downloads, which may take minutes. Live connections check their callers themselves. */
export function mayLast({ streams, maxResponseMs, isEventStream }: FastifyContextConfig): boolean {
  return streams !== undefined || (maxResponseMs !== undefined && !isEventStream);
}

/** Closes the connection of a request once its caller would no longer be admitted. */
export function endWithCaller(request: FastifyRequest, reply: FastifyReply, isAdmitted: () => Promise<boolean>): void {
  // Nothing would end the checks of a client that left while its key was checked.
  if (reply.raw.destroyed) return;
  const check = async (): Promise<void> => {
    if (!(await isAdmitted())) request.raw.socket.destroy();
  };
  const timer = setInterval(() => void check(), RECHECK_MS).unref();
  reply.raw.once('close', () => clearInterval(timer));
}
