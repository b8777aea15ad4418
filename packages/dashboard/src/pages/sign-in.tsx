import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { MailbeaconError } from '../../../client/src/index';
import { Form, textOf } from '../components/action';
import { Entrance } from '../components/entrance';
import { token } from '../link-token';
import { sessions } from '../session-calls';
import { ForgottenPassword } from './forgotten-password';

/** What can go wrong at the OpenID provider: the fragment of this page's address then names it. */
const OPENID_FAILURES: Readonly<Record<string, string>> = {
  '#refused':
    'OpenID did not sign you in: it works for invited users whose email address the provider has verified. You can ' +
    'also sign in with your password.',
  '#unavailable': 'The OpenID provider does not respond as it should. Try again later, or sign in with your password.',
  '#throttled':
    'There were too many sign-ins with OpenID from your network. Try again in a minute, or sign in with your password.',
};
const failure = Object.hasOwn(OPENID_FAILURES, location.hash) ? OPENID_FAILURES[location.hash] : undefined;
if (failure !== undefined) history.replaceState(null, '', location.pathname);

/** The page that was shown before the sign-in at the OpenID provider. */
const BEFORE = 'page-before-openid';

/**
 * Sign-in with a password or by a link. A link works only after a click: programs that open links must not use it up.
 */
export function SignIn() {
  const [hasForgotten, setForgotten] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = async (fields: FormData): Promise<void> => {
    const code = textOf(fields, 'code');
    const password = fields.get('password') ?? undefined;
    try {
      await sessions.signIn({
        ...(token === undefined ? { email: textOf(fields, 'email'), password: password as string } : { token }),
        code,
      });
    } catch (error) {
      if (error instanceof MailbeaconError && error.details.some(({ field }) => field === 'code')) setNeedsCode(true);
      throw error;
    }
    location.replace(nextPage());
  };
  if (hasForgotten) return <ForgottenPassword back={() => setForgotten(false)} />;
  return (
    <Entrance title="Sign in">
      {failure !== undefined && (
        <p class="notice bad" role="alert">
          {failure}
        </p>
      )}
      <Form submit={token === undefined ? 'Sign in' : 'Sign in with this link'} run={signIn}>
        {token === undefined && (
          <>
            <label>
              Email address
              <input name="email" type="email" autocomplete="username" required />
            </label>
            <label>
              Password
              <input name="password" type="password" autocomplete="current-password" required />
            </label>
          </>
        )}
        {needsCode && (
          <label>
            Code from your authenticator app, or a recovery code
            <input name="code" autocomplete="one-time-code" required />
          </label>
        )}
      </Form>
      {token === undefined && <OtherWays forget={() => setForgotten(true)} />}
      {token === undefined ? (
        <p class="hint">
          No account? An owner of your organization invites you, or an operator with <code>cli user create</code>.
        </p>
      ) : (
        <p class="hint">
          If this link was used or has expired, <a href="/sign-in">sign in another way</a> or ask for a new link.
        </p>
      )}
    </Entrance>
  );
}

/** The provider returns to the page `/sign-in`. */
function keepPage(): void {
  if (location.pathname !== '/sign-in') sessionStorage.setItem(BEFORE, location.pathname + location.search);
}

/** The page that the sign-in has replaced. */
function nextPage(): string {
  const before = sessionStorage.getItem(BEFORE) ?? '/';
  sessionStorage.removeItem(BEFORE);
  return location.pathname === '/sign-in' ? before : location.pathname + location.search;
}

/** What the installation offers besides the password. */
function OtherWays({ forget }: { readonly forget: () => void }) {
  const { data } = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => sessions.options(signal),
    staleTime: Infinity,
  });
  return (
    <>
      {data?.oidc && (
        <a class="button" href="/api/session/oidc" onClick={keepPage}>
          Sign in with OpenID
        </a>
      )}
      {data?.passwordReset && (
        <button type="button" onClick={forget}>
          Forgot your password?
        </button>
      )}
    </>
  );
}
