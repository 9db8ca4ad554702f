// The two classes of RxJS that a session needs before its first turn. Their values are not imported from 'rxjs': a bundler that
// assigns whole files to chunks, as esbuild does, would put every operator that a turn uses beside them, 4 kB that a page
// loads before a user writes. Their types are imported from 'rxjs', so that published declarations name nothing else.
import type * as rxjs from 'rxjs';
import { Observable as ObservableClass } from 'rxjs/internal/Observable';
import { Subscriber as SubscriberClass } from 'rxjs/internal/Subscriber';

export const Observable: typeof rxjs.Observable = ObservableClass;
export type Observable<T> = rxjs.Observable<T>;

export const Subscriber: typeof rxjs.Subscriber = SubscriberClass;
export type Subscriber<T> = rxjs.Subscriber<T>;
