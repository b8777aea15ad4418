import { useState } from 'preact/hooks';
import { MailbeaconError } from '../../../client/src/index';
import { Form, textOf } from '../components/action';
import icon from '../icon.svg';
import { sessions } from '../session-calls';

/** The token of a link. It is removed from the URL at once, so that no history and no screenshot keeps it. */
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
if (token !== undefined) history.replaceState(null, '', location.pathname);

/**
 * Sign-in with a password or by a link. A link works only after a click: programs that open links must not use it up.
 */
export function SignIn() {
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
    location.replace(location.pathname === '/sign-in' ? '/' : location.pathname + location.search);
  };
  return (
    <Entrance title="Sign in">
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
            Code of your authenticator app, or a recovery code
            <input name="code" autocomplete="one-time-code" required />
          </label>
        )}
      </Form>
      {token === undefined && (
        <p class="hint">
          No account? An owner of your organization invites you, or an operator with <code>cli user create</code>.
        </p>
      )}
    </Entrance>
  );
}

/** The target of links for invitations and resets. */
export function SetPassword() {
  const [isSet, set] = useState(false);
  const setPassword = async (fields: FormData): Promise<void> => {
    await sessions.setPassword({ token: token ?? '', password: fields.get('password') as string });
    set(true);
  };
  return (
    <Entrance title="Set a password">
      {isSet ? (
        <p role="status">
          The password is set. <a href="/sign-in">Sign in</a>
        </p>
      ) : (
        <Form submit="Set password" run={setPassword}>
          <label>
            New password <span class="hint">at least 12 characters</span>
            <input name="password" type="password" autocomplete="new-password" minLength={12} required />
          </label>
        </Form>
      )}
    </Entrance>
  );
}

function Entrance({ title, children }: { readonly title: string; readonly children: preact.ComponentChildren }) {
  return (
    <main class="centered">
      <div class="card stack">
        <span class="brand">
          <img src={icon} alt="" /> Mailbeacon
        </span>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
