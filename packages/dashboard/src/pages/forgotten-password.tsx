import { useState } from 'preact/hooks';
import { Form, textOf } from '../components/action';
import { Entrance } from '../components/entrance';
import { sessions } from '../session-calls';

/** Requests a link that sets a new password. */
export function ForgottenPassword({ back }: { readonly back: () => void }) {
  const [address, setAddress] = useState<string>();
  const request = async (fields: FormData): Promise<void> => {
    const email = textOf(fields, 'email') ?? '';
    await sessions.requestPassword(email);
    setAddress(email);
  };
  return (
    <Entrance title="Forgot your password?">
      {address === undefined ? (
        <Form submit="Send me a link" run={request}>
          <label>
            Email address
            <input name="email" type="email" autocomplete="username" required />
          </label>
        </Form>
      ) : (
        <p role="status">
          If {address} has an account, an email with a link to set a new password is on its way. The link works for an
          hour.
        </p>
      )}
      <button type="button" onClick={back}>
        Back to the sign-in
      </button>
    </Entrance>
  );
}
