import { queries } from '../queries';

/** Shown above work that is not saved, which the sign-in would discard. */
export function EndedSession() {
  return (
    <div class="notice bad" role="alert">
      <p>
        Your session has ended, and your latest changes are not saved.{' '}
        <a href="/sign-in" target="_blank">
          Sign in in another tab
        </a>
        , then continue here.
      </p>
      <p>
        <button type="button" class="small" onClick={() => void queries.invalidateQueries()}>
          Continue
        </button>
      </p>
    </div>
  );
}
