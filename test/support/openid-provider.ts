import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const CLIENT_ID = 'mailbeacon';
const CLIENT_SECRET = 'a-client-secret-of-this-test-alone';

export interface ProviderAccount {
  readonly email: string;
  readonly email_verified: boolean;
}

interface Context {
  readonly oidc: { readonly provider: Provider; readonly session: { readonly accountId: string } };
}

/** A real OpenID Connect provider (oidc-provider) on loopback, whose users need no password. */
export class OpenIdProvider {
  /** Keyed by the name that the user types. */
  readonly accounts = new Map<string, ProviderAccount>();

  /** Responds in place of the token endpoint. */
  tokenFailure: ((response: ServerResponse) => void) | undefined;

  /** Claims that are only in the response of the userinfo endpoint, although the ID token has others of their scope. */
  readonly onlyInUserInfo = new Set<string>();

  private constructor(
    readonly issuer: string,
    readonly close: () => Promise<unknown>,
  ) {}

  static async listen(callbackUrl: string): Promise<OpenIdProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = (): Promise<unknown> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    };
    const stub = new OpenIdProvider(issuer, close);
    const provider = new Provider(issuer, {
      clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [callbackUrl] }],
      claims: { email: ['email', 'email_verified'] },
      // The ID token has the claims of its scopes, too.
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      cookies: { keys: ['only for this test'] },
      findAccount: (_context: unknown, name: string) => ({
        accountId: name,
        claims: (use: string) => {
          const claims = Object.entries({ sub: name, ...stub.accounts.get(name) });
          return Object.fromEntries(claims.filter(([key]) => use !== 'id_token' || !stub.onlyInUserInfo.has(key)));
        },
      }),
      loadExistingGrant: async ({ oidc }: Context) => {
        const grant = new oidc.provider.Grant({ clientId: CLIENT_ID, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid email');
        await grant.save();
        return grant;
      },
    });
    const respond = provider.callback();
    server.on('request', (request, response) => {
      if (stub.tokenFailure && request.url === '/token') stub.tokenFailure(response);
      else void respond(request, response);
    });
    return stub;
  }

  get settings(): Record<string, string> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET };
  }

  /** Signs in at the provider, as a browser does. @returns the URL to which the provider redirects the browser */
  async signIn(authorizationUrl: string, name: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let url = new URL(authorizationUrl);
    let init: RequestInit = {};
    for (let steps = 0; steps < 10; steps++) {
      const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
      const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(key, value);
      }
      await response.text();
      init = {};
      const location = response.headers.get('location');
      if (location === null) init = { method: 'POST', body: new URLSearchParams({ prompt: 'login', login: name }) };
      else url = new URL(location, url);
      if (url.origin !== this.issuer) return url;
    }
    throw new Error(`The provider does not redirect back: ${url.pathname}`);
  }
}
