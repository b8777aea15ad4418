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

interface FinishedSignIn {
  readonly token?: SplitToken;
  /** The parts of the cookie that belong to other sign-ins. */
  readonly others: readonly string[];
}

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

  /** @returns the address to redirect the browser to, and a part of its cookie. @throws OidcUnavailableError */
  async begin(): Promise<{ url: string; state: string }> {
    const { url, ...state } = await this.client.begin();
    return { url, state: this.box.seal(JSON.stringify(state), CONTEXT) };
  }

  /**
   * Returns a token that signs in, like that of a sign-in link: the page asks for a second factor as usual, and its
   * cookie can be SameSite=Strict. No token when the sign-in is refused.
   * @param parts of the cookie, one of which `begin` returned to the same browser, so that no one can be signed in as
   *   another user
   * @throws OidcUnavailableError
   */
  async finish(search: string, parts: readonly string[]): Promise<FinishedSignIn> {
    const returned = new URLSearchParams(search).get('state');
    const part = parts.find((one) => this.open(one)?.state === returned);
    const others = parts.filter((one) => one !== part);
    const identity = part && (await this.client.finish(search, this.open(part)!));
    const userId = identity && (await this.find(identity));
    if (userId === undefined) return { others };
    const token = this.halves.split(await this.tokens.create(userId, 'sign-in', TOKEN_SECONDS * 1000));
    return { token, others };
  }

  private open(part: string): OidcState | undefined {
    try {
      return JSON.parse(this.box.open(part, CONTEXT).toString()) as OidcState;
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
