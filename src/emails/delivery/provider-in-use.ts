import type { DeliveryProvider } from '../../providers/provider.js';
import type { ProviderPause } from './provider-pause.js';
import type { ProviderRate } from './provider-rate.js';

/** A provider that this worker may call. */
export interface ProviderInUse {
  readonly id: string;
  /** Its name in metrics; by default its ID. */
  readonly label?: string;
  readonly weight?: number;
  readonly provider: DeliveryProvider;
  readonly pause: ProviderPause;
  /** Absent without a limit. */
  readonly rate?: ProviderRate;
}
