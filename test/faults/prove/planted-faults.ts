import { BROADCAST_FAULTS } from './broadcast-faults.js';
import { COUNTING_FAULTS } from './counting-faults.js';
import { DELIVERY_FAULTS } from './delivery-faults.js';
import { EVENT_STORE_FAULTS } from './event-store-faults.js';
import type { PlantedFault } from './planted-fault.js';
import { RECOVERY_FAULTS } from './recovery-faults.js';

/** `npm run faults -- --prove` plants each of them, alone. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  ...COUNTING_FAULTS,
  ...DELIVERY_FAULTS,
  ...RECOVERY_FAULTS,
  ...BROADCAST_FAULTS,
  ...EVENT_STORE_FAULTS,
];
