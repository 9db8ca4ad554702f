// Of RxJS, what a session needs before its first turn. Not from 'rxjs': a bundler that assigns whole files to chunks, as
// esbuild does, would put every operator that a turn uses beside it, 4 kB that a page loads before anybody writes.
// Both paths name the same file, so that there is one Observable.
export { Observable } from 'rxjs/internal/Observable';
export { Subscriber } from 'rxjs/internal/Subscriber';
