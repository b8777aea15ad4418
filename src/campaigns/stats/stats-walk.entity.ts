import { Check, Entity } from 'typeorm';
import { WalkProgress } from '../../platform/database/walk-progress.entity.js';

/** Progress of adding earlier emails to the hourly figures. */
@Entity('stats_walk')
@Check('stats_walk_one_row', 'id = 1')
export class StatsWalk extends WalkProgress {}
