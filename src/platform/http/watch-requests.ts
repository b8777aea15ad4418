import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Before the handler of the server gets the request. */
export function watchRequests(
  server: Server,
  watch: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, watch);
}
