import { Inject, Injectable, type Type } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '../platform/addresses/client-network.js';
import { MONOTONIC_CLOCK, type Clock } from '../platform/clock/clock.js';
import { DomainError } from '../platform/errors/domain-error.js';
import {
  InvalidKeyError,
  InvalidSessionError,
  KeyInAuthorizationError,
  NotAnOwnerError,
  SuspendedError,
} from './access-errors.js';
import { ApiKeyAuthenticator, type Caller, suspensionOf } from './api-key-authenticator.js';
import './current-caller.js';
import { allowsClient, ForbiddenAddressError } from './key-limits.js';
import { MissingScopeError, scopeOf } from './key-scopes.js';
import { endWithCaller, mayLast, RECHECK_MS } from './lasting-requests.js';
import { ClientAddresses } from '../platform/http/client-address.js';
import { RateLimits } from '../platform/http/rate-limits.js';
import type { RequestCheck } from '../platform/http/request-check.js';
import { OwnPage } from '../users/sign-in/own-page.js';
import { NotAMemberError, SessionAuthenticator } from '../users/sessions/session-authenticator.js';
import { PresentedKeys } from './presented-keys.js';
import { WrongKeyLimits } from './wrong-key-limits.js';

/** Every route with this prefix requires a key, unless it has its own check. */
const API_PREFIX = '/api/';

class NeedsSessionError extends DomainError {
  constructor() {
    super('forbidden', 'An API key cannot do this: sign in as a user');
  }
}

/** How a request was admitted, to check it again. */
interface Admission {
  /** On the monotonic clock of the process. */
  readonly at: number;
  /** Undefined for a session. */
  readonly key: string | undefined;
}

/** Authenticates requests by their key or session and applies the rate limit of their organization. */
@Injectable()
export class KeyCheck implements RequestCheck {
  private readonly admissions = new WeakMap<FastifyRequest, Admission>();

  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly presented: PresentedKeys,
    private readonly limits: RateLimits,
    private readonly wrongKeys: WrongKeyLimits,
    private readonly sessions: SessionAuthenticator,
    private readonly ownPage: OwnPage,
    private readonly clients: ClientAddresses,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
  ) {}

  /** Sets `request.caller`. @throws DomainError for every reason to refuse a request because of its headers */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const client = this.clients.clientOfRequest(request.raw);
    const caller = await this.identify(request, clientNetwork(client));
    await this.admitCaller(caller, client, request, reply);
    this.admissions.set(request, { at: this.clock.now(), key: caller.session ? undefined : keyOf(request) });
  }

  /** The same for a route that takes its key elsewhere than in `x-api-key`. It accepts no session. */
  async admitKey(key: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const client = this.clients.clientOfRequest(request.raw);
    await this.admitCaller(await this.presented.identify(key, clientNetwork(client)), client, request, reply);
    this.admissions.set(request, { at: this.clock.now(), key });
  }

  private async admitCaller(
    caller: Caller,
    client: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    // Before it counts: a leaked key must not use up the requests of its organization from elsewhere.
    if (!allowsClient(caller, client)) throw new ForbiddenAddressError();
    await this.limits.countRequest(caller.organizationId, (headers) => void reply.headers(headers));
    requirePermission(caller, request);
    this.letIn(request, caller);
  }

  /**
   * False once a long-running request that was admitted earlier would no longer be. Keys and sessions are cached for a
   * few seconds, so this rarely costs a query. While Postgres is down, the check is inconclusive and the
   * request goes on.
   */
  async stillAdmits(request: FastifyRequest): Promise<boolean> {
    try {
      await this.recheck(request);
      return true;
    } catch (error) {
      return !(error instanceof DomainError) || error.kind === 'unavailable';
    }
  }

  /**
   * Checks a request again after a step that can take long: its body can take minutes to arrive.
   * @throws DomainError if it would no longer be admitted, and the error of Postgres if that is unknown
   */
  async checkAgain(request: FastifyRequest): Promise<void> {
    const admission = this.admissions.get(request);
    if (admission !== undefined && this.clock.now() - admission.at >= RECHECK_MS) await this.recheck(request);
  }

  /**
   * For the organization for which the request was admitted: its user may have chosen another one
   * since. Counts nothing.
   * @throws DomainError
   */
  private async recheck(request: FastifyRequest): Promise<void> {
    const key = this.admissions.get(request)?.key;
    const admitted = request.caller?.organizationId;
    const now =
      key === undefined ? await this.sessions.identify(request, false, admitted) : await this.keys.identify(key, false);
    if (now?.organizationId !== admitted) throw key === undefined ? new InvalidSessionError() : new InvalidKeyError();
    requirePermission(now!, request);
    this.letIn(request, now!);
  }

  private letIn(request: FastifyRequest, caller: Caller): void {
    request.caller = { ...caller, checkAgain: () => this.checkAgain(request) };
  }

  /** A key takes precedence over a session, because clients add it on purpose. */
  private async identify(request: FastifyRequest, network: string): Promise<Caller> {
    const { 'x-api-key': key, authorization } = request.headers;
    if (key === undefined && this.sessions.hasCookie(request)) {
      this.ownPage.require(request);
      return this.identifyUser(request, network);
    }
    if (key === undefined && authorization !== undefined) {
      await this.wrongKeys.count(network);
      throw new KeyInAuthorizationError();
    }
    return this.presented.identify(keyOf(request), network);
  }

  /** Counts a wrong organization as a wrong key: it costs a query, too, and the rate limit of no organization. */
  private async identifyUser(request: FastifyRequest, network: string): Promise<Caller> {
    let refusal: DomainError = new InvalidSessionError();
    try {
      const user = await this.sessions.identify(request, this.wrongKeys.isSuspect(network));
      if (user) return user;
    } catch (error) {
      if (!(error instanceof NotAMemberError)) throw error;
      refusal = error;
    }
    await this.wrongKeys.count(network);
    throw refusal;
  }
}

/** @throws SuspendedError, NeedsSessionError, NotAnOwnerError, MissingScopeError */
function requirePermission(caller: Caller, { method, routeOptions }: FastifyRequest): void {
  const { scope: declared, needsSession, forOwners, evenIfSuspended } = routeOptions.config;
  const suspended = suspensionOf(caller);
  if (suspended !== null && !evenIfSuspended) throw new SuspendedError(suspended);
  if (needsSession && !caller.session) throw new NeedsSessionError();
  const scope = scopeOf(method, declared);
  if (!caller.scopes.includes(scope)) throw new MissingScopeError(scope, caller.actor.kind);
  if (forOwners && caller.session && caller.session.role !== 'owner') throw new NotAnOwnerError();
}

/**
 * Checks keys before the body is read, and again after one that took long; for some routes, their own check instead of
 * the key.
 * @param checkOf returns the provider of a class
 */
export function requireKeys(
  fastify: FastifyInstance,
  keys: KeyCheck,
  checkOf: (check: Type<RequestCheck>) => RequestCheck,
): void {
  fastify.addHook('onRequest', async (request, reply) => {
    const { url, config } = request.routeOptions;
    if (config.requestCheck) await checkOf(config.requestCheck).admit(request, reply);
    else if (url?.startsWith(API_PREFIX)) {
      await keys.admit(request, reply);
      if (mayLast(config)) endWithCaller(request, reply, () => keys.stillAdmits(request));
    }
  });
  fastify.addHook('preValidation', (request) => keys.checkAgain(request));
}

/**
 * Returns an empty text unless the request has exactly one key header; two are a mistake or an attack. Node joins
 * repeated headers, so this counts the raw ones.
 */
function keyOf({ raw, headers }: FastifyRequest): string {
  const names = raw.rawHeaders.filter((_, index) => index % 2 === 0);
  const count = names.filter((name) => name.toLowerCase() === 'x-api-key').length;
  return count === 1 ? (headers['x-api-key'] as string) : '';
}
