import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidFieldError } from '../errors/domain-error.js';
import { MAX_PAGE, type PageRequest } from './paging.js';

/** One check for each part of a list's sort key. */
type KeyParts = readonly ((part: string) => boolean)[];

/** A request for one page of a list. */
export class ListRequest {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {}

  /** The raw query parameters. */
  get query(): Readonly<Record<string, unknown>> {
    return this.request.query as Record<string, unknown>;
  }

  /** Reads `limit` and `cursor`. @throws InvalidFieldError */
  page(keyParts: KeyParts): PageRequest {
    return { limit: readLimit(this.query.limit), ...readCursor('cursor', this.query.cursor, keyParts) };
  }

  /**
   * Reads the cursor of a second list in the same response, which is paged separately.
   * @param parameter its name
   * @throws InvalidFieldError
   */
  secondPage(parameter: string, keyParts: KeyParts): PageRequest {
    return { limit: MAX_PAGE, ...readCursor(parameter, this.query[parameter], keyParts) };
  }

  /** Adds a Link header with the URL of the next page, if there is one (RFC 8288). */
  linkNext(next: readonly string[] | undefined, { rel, parameter } = { rel: 'next', parameter: 'cursor' }): void {
    if (!next) return;
    // A query may contain further question marks.
    const { pathname, searchParams: parameters } = new URL(`http://host${this.request.url}`);
    parameters.set(parameter, Buffer.from(JSON.stringify(next)).toString('base64url'));
    const before = this.reply.getHeader('link');
    const link = `<${pathname}?${parameters.toString()}>; rel="${rel}"`;
    void this.reply.header('link', before === undefined ? link : `${String(before)}, ${link}`);
  }
}

/** Injects the request for a page of a list: `@ListQuery() list: ListRequest`. */
export const ListQuery = createParamDecorator((_: unknown, context: ExecutionContext): ListRequest => {
  const http = context.switchToHttp();
  return new ListRequest(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

function readLimit(value: unknown): number {
  if (value === undefined) return MAX_PAGE;
  const limit = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_PAGE)
    throw new InvalidFieldError('limit', `must be a whole number from 1 to ${MAX_PAGE}`);
  return limit;
}

function readCursor(parameter: string, value: unknown, keyParts: KeyParts): { after?: readonly string[] } {
  if (value === undefined) return {};
  const parts = typeof value === 'string' ? decodeCursor(value) : undefined;
  const fits =
    parts?.length === keyParts.length &&
    parts.every((part, index) => typeof part === 'string' && keyParts[index]!(part));
  if (!fits) throw new InvalidFieldError(parameter, 'must be the cursor of a Link header of this list');
  return { after: parts };
}

function decodeCursor(cursor: string): string[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}
