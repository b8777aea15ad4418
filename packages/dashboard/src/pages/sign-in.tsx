import { useState } from 'preact/hooks';
import { callSession } from '../session';
import { Form, textOf } from '../components/action';
import icon from '../icon.svg';

/** Sign-in with a password, or with the link that `npm start` prints. */
export function SignIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = async (fields: FormData): Promise<void> => {
    const code = textOf(fields, 'code');
    const credentials =
      token === null ? { email: textOf(fields, 'email'), password: fields.get('password') } : { token };
    const result = await callSession<{ secondFactorRequired?: boolean }>('POST', {
      ...credentials,
      ...(code !== undefined && { code }),
    });
    if (result?.secondFactorRequired) setNeedsCode(true);
    else location.assign(location.pathname === '/sign-in' ? '/' : location.pathname + location.search);
  };
  return (
    <main class="centered">
      <div class="card stack">
        <span class="brand">
          <img src={icon} alt="" /> Mailbeacon
        </span>
        <h1>Sign in</h1>
        <Form submit={token === null ? 'Sign in' : 'Sign in with this link'} run={signIn}>
          {token === null && (
            <>
              <label>
                Email
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
              Code of your authenticator, or a recovery code
              <input name="code" inputMode="numeric" autocomplete="one-time-code" required />
            </label>
          )}
        </Form>
        <p class="hint">
          No account? An operator makes one with <code>cli user create</code>.
        </p>
      </div>
    </main>
  );
}
