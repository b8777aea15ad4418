import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SecretBox } from '../../platform/encryption/secret-box.js';
import { OidcClient, type OidcIdentity, type OidcState } from './oidc-client.js';
import { SplitTokens, type SplitToken } from './split-tokens.js';
import { UserAccounts } from '../user-accounts.js';
import { UserTokens } from '../user-tokens.js';

const CONTEXT = 'oidc-state';
/** The page exchanges the token at once, perhaps after the user has typed a code. */
export const TOKEN_SECONDS = 120;

/** Signs in users who have an account here and sign in at the OpenID provider. Creates no accounts. */
@Injectable()
export class OidcSignIn {
  constructor(
    private readonly database: Database,
    private readonly client: OidcClient,
    private readonly accounts: UserAccounts,
    private readonly tokens: UserTokens,
    private readonly halves: SplitTokens,
    private readonly box: SecretBox,
  ) {}

  /** @returns the address to redirect the browser to, and the value of its cookie. @throws OidcUnavailableError */
  async begin(): Promise<{ url: string; cookie: string }> {
    const { url, ...state } = await this.client.begin();
    return { url, cookie: this.box.seal(JSON.stringify(state), CONTEXT) };
  }

  /**
   * Returns a token that signs in, like that of a sign-in link: the page asks for a second factor as usual, and its
   * cookie can be SameSite=Strict. Undefined when the sign-in is refused.
   * @param cookie the value that `begin` returned, from the same browser, so that no one can be signed in as another
   *   user
   * @throws OidcUnavailableError
   */
  async finish(search: string, cookie: string | undefined): Promise<SplitToken | undefined> {
    const state = cookie === undefined ? undefined : this.open(cookie);
    const identity = state && (await this.client.finish(search, state));
    const userId = identity && (await this.find(identity));
    if (userId === undefined) return undefined;
    return this.halves.split(await this.tokens.create(userId, 'sign-in', TOKEN_SECONDS * 1000));
  }

  private open(cookie: string): OidcState | undefined {
    try {
      return JSON.parse(this.box.open(cookie, CONTEXT).toString()) as OidcState;
    } catch {
      return undefined;
    }
  }

  /**
   * The first sign-in binds the user to the account at the provider: if the address is later given to another person,
   * the sign-in is refused.
   */
  private async find({ subject, email }: OidcIdentity): Promise<string | undefined> {
    const account = email === undefined ? undefined : await this.accounts.find(email);
    if (!account) return undefined;
    const [bound] = await this.database.query<{ id: string }>(
      `update users set oidc_subject = $2 where id = $1 and coalesce(oidc_subject, $2) = $2 returning id`,
      [account.id, subject],
    );
    return bound?.id;
  }
}
