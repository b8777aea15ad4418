import { useState } from 'preact/hooks';
import { Form } from '../components/action';
import { Entrance } from '../components/entrance';
import { token } from '../link-token';
import { sessions } from '../session-calls';

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
