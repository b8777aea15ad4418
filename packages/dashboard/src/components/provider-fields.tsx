import { PROVIDER_KINDS, type Choice, type CredentialField, type ProviderType } from '../provider-types';
import type { Provider } from '../types';

const OPTIONAL = <span class="hint">optional</span>;

/** The inputs of the credentials. The browser must not offer to store them. */
export function CredentialFields({ type }: { readonly type: ProviderType }) {
  return (
    <>
      {PROVIDER_KINDS[type].fields.map((field) => (
        <label key={`${type} ${field.name}`}>
          <span>
            {field.label} {field.isOptional && OPTIONAL}
          </span>
          {field.choices ? <Choices {...field} choices={field.choices} /> : <TextInput {...field} />}
        </label>
      ))}
    </>
  );
}

function Choices({ name, choices }: { readonly name: string; readonly choices: readonly Choice[] }) {
  return (
    <select name={name}>
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function TextInput({ name, placeholder, isSecret, isOptional }: CredentialField) {
  return (
    <input
      name={name}
      type={isSecret ? 'password' : 'text'}
      autocomplete={isSecret ? 'new-password' : 'off'}
      spellcheck={false}
      placeholder={placeholder}
      required={!isOptional}
    />
  );
}

/** The input of what verifies reported events. */
export function EventKeyField({ type, isRequired }: { readonly type: ProviderType; readonly isRequired?: true }) {
  const { eventKey, eventKeyPlaceholder } = PROVIDER_KINDS[type];
  if (eventKey === undefined) return null;
  return (
    <label key={type}>
      <span>
        {eventKey} {!isRequired && <span class="hint">optional, for deliveries, bounces and complaints</span>}
      </span>
      <input
        name="eventKey"
        autocomplete="off"
        spellcheck={false}
        placeholder={eventKeyPlaceholder}
        required={isRequired}
      />
    </label>
  );
}

/** How much of the mail a provider gets. */
export function ShareFields({ provider }: { readonly provider?: Provider }) {
  return (
    <>
      <label>
        <span>
          Weight <span class="hint">optional; share of the mail, 0: only if no other is available</span>
        </span>
        <input name="weight" type="number" min={0} max={1000} step={1} defaultValue={provider?.weight ?? ''} />
      </label>
      <label>
        <span>
          Emails per second <span class="hint">optional; a limit</span>
        </span>
        <input
          name="perSecond"
          type="number"
          min={0.01}
          max={100_000}
          step="any"
          defaultValue={provider?.perSecond ?? ''}
        />
      </label>
    </>
  );
}

/** The number in a field; null when it is empty. */
export function numberOf(fields: FormData, name: string): number | null {
  const text = fields.get(name);
  return typeof text === 'string' && text.trim() !== '' ? Number(text) : null;
}
