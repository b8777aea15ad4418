import { Inject, Injectable } from '@nestjs/common';
import type { Configuration, UserInfoResponse } from 'openid-client';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { dashboardUrl } from '../dashboard-url.js';
import { isFailureOfProvider } from './provider-failure.js';
import { emailOfUser } from '../sessions/session-requests.js';

const TIMEOUT_SECONDS = 10;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The values that the callback of a sign-in must match. The browser stores them, sealed. */
export interface OidcState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The person who has signed in at the provider. */
export interface OidcIdentity {
  readonly subject: string;
  /** As users have theirs; undefined unless the provider has verified it. */
  readonly email: string | undefined;
}

export class OidcUnavailableError extends DomainError {
  constructor() {
    super('unavailable', 'The OpenID provider does not respond as it should: try again later, or sign in by password');
  }
}

/** The OpenID Connect provider of the settings: authorization code with PKCE (OpenID Connect Core 1.0, RFC 7636). */
@Injectable()
export class OidcClient {
  private configuration: Promise<Configuration> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get isOn(): boolean {
    return this.settings.OIDC_ISSUER !== undefined && this.settings.OIDC_CLIENT_ID !== undefined;
  }

  /** The address at the provider where the user signs in. @throws OidcUnavailableError */
  async begin(): Promise<OidcState & { readonly url: string }> {
    const openid = await import('openid-client');
    const configuration = await this.configure();
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.callbackUrl,
      scope: 'openid email',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { state, nonce, verifier, url: url.href };
  }

  /**
   * Exchanges the code of the callback. Undefined when the provider or the person refuses, or a response is invalid.
   * @param search query of the callback, with its question mark
   * @throws OidcUnavailableError
   */
  async finish(search: string, { state, nonce, verifier }: OidcState): Promise<OidcIdentity | undefined> {
    const openid = await import('openid-client');
    const configuration = await this.configure();
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, new URL(search, this.callbackUrl), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const { sub: subject, ...claims } = tokens.claims()!;
      // Some providers put the address into the ID token, and only into the userinfo whether they have verified it.
      const isComplete = claims.email !== undefined && claims.email_verified !== undefined;
      const about = isComplete ? claims : await openid.fetchUserInfo(configuration, tokens.access_token, subject);
      return { subject, email: verifiedEmailOf(about) };
    } catch (error) {
      // The message of the library names the problem, but never a code or token.
      const reason = error instanceof Error ? error.message : 'unknown';
      if (isFailureOfProvider(error)) {
        this.logger.error({ reason }, 'The OpenID provider failed');
        throw new OidcUnavailableError();
      }
      this.logger.warn({ reason }, 'A sign-in at the OpenID provider was refused');
      return undefined;
    }
  }

  private get callbackUrl(): string {
    return `${dashboardUrl(this.settings)}/api/session/oidc/callback`;
  }

  /** Reads the provider's configuration once; a failure is not cached. */
  private configure(): Promise<Configuration> {
    this.configuration ??= this.discover().catch((error: unknown) => {
      this.configuration = undefined;
      this.logger.error({ err: error }, 'The OpenID provider could not be reached');
      throw new OidcUnavailableError();
    });
    return this.configuration;
  }

  private async discover(): Promise<Configuration> {
    const openid = await import('openid-client');
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = this.settings;
    const issuer = new URL(OIDC_ISSUER!);
    // Allows http only for a provider on this machine, for development.
    const execute = LOOPBACK.has(issuer.hostname) ? [openid.allowInsecureRequests] : [];
    return openid.discovery(issuer, OIDC_CLIENT_ID!, OIDC_CLIENT_SECRET, undefined, {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
  }
}

/** A person who controls an unverified address at the provider could take over its user here. */
function verifiedEmailOf({ email, email_verified: isVerified }: Partial<UserInfoResponse>): string | undefined {
  return typeof email === 'string' && isVerified === true ? emailOfUser(email) : undefined;
}
