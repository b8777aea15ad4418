import { MailbeaconError } from '../../packages/client/src/index.js';

/** The error with which a call of the client library fails. */
export async function errorOf(call: Promise<unknown>): Promise<MailbeaconError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MailbeaconError);
  return error as MailbeaconError;
}
