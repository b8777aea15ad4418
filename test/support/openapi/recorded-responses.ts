import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiDocument } from './api-document.js';
import { STREAMED } from './received-response.js';

/** Fastify publishes each new server here. */
const NEW_SERVERS = 'fastify.initialization';
const NOT_JSON = Symbol('body that is not JSON');

interface Recorded {
  readonly method: string;
  /** As in `/api/campaigns/:id`. */
  readonly route: string;
  readonly status: number;
  readonly mediaType: string;
  readonly payload: unknown;
}

/**
 * Records the responses of all API servers in this process, to whatever client. They are compared with the OpenAPI
 * document later, so that the comparison takes no time of the test.
 */
export class RecordedResponses {
  private recorded: Recorded[] = [];
  private readonly observe = (message: unknown) => this.record((message as { fastify: FastifyInstance }).fastify);

  constructor(private readonly document: () => Promise<ApiDocument>) {
    subscribe(NEW_SERVERS, this.observe);
  }

  stop(): void {
    unsubscribe(NEW_SERVERS, this.observe);
  }

  /** Throws an error that names each difference between the responses since the last call and the document. */
  async expectDocumented(): Promise<void> {
    if (this.recorded.length === 0) return;
    const document = await this.document();
    const responses = this.recorded;
    this.recorded = [];
    const problems = new Set(responses.flatMap((response) => problemsOf(document, response)));
    if (problems.size > 0) throw new Error(`The OpenAPI document differs:\n${[...problems].join('\n')}`);
  }

  private record(fastify: FastifyInstance): void {
    let servesApi = false;
    fastify.addHook('onRoute', ({ url }) => void (servesApi ||= url === '/openapi.json'));
    fastify.addHook('onSend', (request, reply, payload, done) => {
      if (servesApi) this.recorded.push(recordOf(request, reply, payload));
      done();
    });
  }
}

function recordOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): Recorded {
  const { method, routeOptions } = request;
  const mediaType = String(reply.getHeader('content-type'));
  return { method, route: routeOptions.url ?? '', status: reply.statusCode, mediaType, payload };
}

/** Routes that the document does not list, such as those of pages, are not checked. */
function problemsOf(document: ApiDocument, { method, route, status, mediaType, payload }: Recorded): string[] {
  const path = route.replaceAll(/:(\w+)/g, '{$1}');
  const operation = document.find(`${method === 'HEAD' ? 'GET' : method} ${path}`);
  if (!operation) return [];
  const headers = new Headers({ 'content-type': mediaType });
  const body = bodyOf(payload, mediaType);
  if (body === NOT_JSON) return [`${operation.name} responded ${status}: its body is not JSON`];
  return document.problemsOf(operation, { status, headers, body });
}

function bodyOf(payload: unknown, mediaType: string): unknown {
  if (payload === undefined || payload === null || payload === '') return undefined;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return STREAMED;
  const text = payload.toString();
  if (!mediaType.startsWith('application/json')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
