import { Check, Entity } from 'typeorm';
import { BackfillProgress } from '../../platform/database/backfill-progress.entity.js';

/** Progress of adding earlier emails to the hourly figures. */
@Entity('stats_walk')
@Check('stats_walk_one_row', 'id = 1')
export class StatsBackfill extends BackfillProgress {}
