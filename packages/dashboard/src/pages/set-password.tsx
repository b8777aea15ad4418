import { useState } from 'preact/hooks';
import { Form } from '../components/action';
import { Entrance } from '../components/entrance';
import { token } from '../link-token';
import { sessions } from '../session-calls';

/** The target of links for invitations and resets. */
export function SetPassword() {
  const [isSet, set] = useState(false);
  return (
    <Entrance title="Set a password">
      {isSet ? (
        <p role="status">
          The password is set. <a href="/sign-in">Sign in</a>
        </p>
      ) : token === undefined ? (
        <p>
          Open your link again: this page needs it. Do you have a password? <a href="/sign-in">Sign in</a>
        </p>
      ) : (
        <NewPassword token={token} onSet={() => set(true)} />
      )}
    </Entrance>
  );
}

function NewPassword({ token, onSet }: { readonly token: string; onSet(): void }) {
  const setPassword = async (fields: FormData): Promise<void> => {
    await sessions.setPassword({ token, password: fields.get('password') as string });
    onSet();
  };
  return (
    <>
      <Form submit="Set password" run={setPassword}>
        <label>
          New password <span class="hint">at least 12 characters</span>
          <input name="password" type="password" autocomplete="new-password" minLength={12} required />
        </label>
      </Form>
      <p class="hint">
        If this link was used or has expired, ask for a new one, or <a href="/sign-in">sign in</a>.
      </p>
    </>
  );
}
