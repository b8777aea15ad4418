import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WebhookDelivery } from './webhook-delivery.entity.js';

@Entity('webhook_attempts')
export class WebhookAttempt {
  @ForeignKey(() => WebhookDelivery, { name: 'webhook_attempts_delivery_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'delivery_id' })
  deliveryId!: string;

  @PrimaryColumn({ type: 'integer' })
  number!: number;

  @Column({ type: 'timestamptz', name: 'started_at', precision: 3 })
  startedAt!: Date;

  @Column({ type: 'integer', name: 'duration_ms' })
  durationMs!: number;

  /** HTTP status; null without a response. */
  @Column({ type: 'smallint', nullable: true })
  status!: number | null;

  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ type: 'text', nullable: true })
  answer!: string | null;
}
