import { queries } from '../queries';

/** Shown above work that is not saved, or a secret that was not copied, which the sign-in would discard. */
export function EndedSession() {
  return (
    <div class="notice bad" role="alert">
      <p>
        Your session has ended. What this page shows stays:{' '}
        <a href="/sign-in" target="_blank">
          sign in in another tab
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
