;; I420 → rows of a BMP of 32 bits a pixel: two rows at a time, 16 pixels a step. BT.709, limited range.
;; Built by `node scripts/build-kernels.ts`; test/codecs/kernels.test.ts holds the .wasm to this text.
;;
;; Values are kept as sixteenths in 16-bit parts: what goes in is shifted up by 6 bits, and the weights are a quarter,
;; times 2^15, so that q15mulr gives value × weight × 16, rounded.
(module
  (import "env" "memory" (memory 0))
  (func (export "convert")
    ;; Where the first row of luma starts, its pixels (at least 16), and where the rows of chroma start.
    (param $y i32) (param $width i32) (param $u i32) (param $v i32)
    ;; Where the first row goes, and its bytes.
    (param $out i32) (param $out_bytes i32)
    ;; The first pixel of the step, and where the pixels of a row go.
    (local $x i32) (local $next i32) (local $last i32) (local $to i32)
    ;; Chroma of 8 pairs of pixels, less its middle, and what it adds to each colour of a pair.
    (local $d v128) (local $e v128) (local $red v128) (local $green v128) (local $blue v128)
    ;; Luma of 16 pixels: as read, and as sixteenths.
    (local $luma v128) (local $luma_low v128) (local $luma_high v128)
    ;; Sixteen bytes of a colour, and pairs of bytes: blue and green, red and an opaque alpha.
    (local $r v128) (local $g v128) (local $b v128)
    (local $bg_low v128) (local $bg_high v128) (local $ra_low v128) (local $ra_high v128)

    ;; The last step ends with the row and may overlap the one before it.
    (local.set $last (i32.sub (local.get $width) (i32.const 16)))
    (loop $steps
      (local.set $d
        (i16x8.shl
          (i16x8.sub
            (i16x8.extend_low_i8x16_u
              (v128.load64_zero (i32.add (local.get $u) (i32.shr_u (local.get $x) (i32.const 1)))))
            (v128.const i16x8 128 128 128 128 128 128 128 128))
          (i32.const 6)))
      (local.set $e
        (i16x8.shl
          (i16x8.sub
            (i16x8.extend_low_i8x16_u
              (v128.load64_zero (i32.add (local.get $v) (i32.shr_u (local.get $x) (i32.const 1)))))
            (v128.const i16x8 128 128 128 128 128 128 128 128))
          (i32.const 6)))
      (local.set $red (i16x8.q15mulr_sat_s (local.get $e) (v128.const i16x8 14686 14686 14686 14686 14686 14686 14686 14686)))
      (local.set $green
        (i16x8.sub
          (v128.const i16x8 0 0 0 0 0 0 0 0)
          (i16x8.add
            (i16x8.q15mulr_sat_s (local.get $d) (v128.const i16x8 1747 1747 1747 1747 1747 1747 1747 1747))
            (i16x8.q15mulr_sat_s (local.get $e) (v128.const i16x8 4366 4366 4366 4366 4366 4366 4366 4366)))))
      (local.set $blue (i16x8.q15mulr_sat_s (local.get $d) (v128.const i16x8 17305 17305 17305 17305 17305 17305 17305 17305)))

      ;; The first row.
      (local.set $luma (v128.load (i32.add (local.get $y) (local.get $x))))
      (local.set $luma_low
        (i16x8.add
          (i16x8.q15mulr_sat_s
            (i16x8.shl
              (i16x8.sub (i16x8.extend_low_i8x16_u (local.get $luma)) (v128.const i16x8 16 16 16 16 16 16 16 16))
              (i32.const 6))
            (v128.const i16x8 9539 9539 9539 9539 9539 9539 9539 9539))
          ;; A half, to round.
          (v128.const i16x8 8 8 8 8 8 8 8 8)))
      (local.set $luma_high
        (i16x8.add
          (i16x8.q15mulr_sat_s
            (i16x8.shl
              (i16x8.sub (i16x8.extend_high_i8x16_u (local.get $luma)) (v128.const i16x8 16 16 16 16 16 16 16 16))
              (i32.const 6))
            (v128.const i16x8 9539 9539 9539 9539 9539 9539 9539 9539))
          ;; A half, to round.
          (v128.const i16x8 8 8 8 8 8 8 8 8)))
      (local.set $to (i32.add (local.get $out) (i32.shl (local.get $x) (i32.const 2))))
      (local.set $g
        (i8x16.narrow_i16x8_u
          (i16x8.shr_s
            (i16x8.add (local.get $luma_low) (i8x16.shuffle 0 1 0 1 2 3 2 3 4 5 4 5 6 7 6 7 (local.get $green) (local.get $green)))
            (i32.const 4))
          (i16x8.shr_s
            (i16x8.add (local.get $luma_high) (i8x16.shuffle 8 9 8 9 10 11 10 11 12 13 12 13 14 15 14 15 (local.get $green) (local.get $green)))
            (i32.const 4))))
      (local.set $b
        (i8x16.narrow_i16x8_u
          (i16x8.shr_s
            (i16x8.add (local.get $luma_low) (i8x16.shuffle 0 1 0 1 2 3 2 3 4 5 4 5 6 7 6 7 (local.get $blue) (local.get $blue)))
            (i32.const 4))
          (i16x8.shr_s
            (i16x8.add (local.get $luma_high) (i8x16.shuffle 8 9 8 9 10 11 10 11 12 13 12 13 14 15 14 15 (local.get $blue) (local.get $blue)))
            (i32.const 4))))
      (local.set $r
        (i8x16.narrow_i16x8_u
          (i16x8.shr_s
            (i16x8.add (local.get $luma_low) (i8x16.shuffle 0 1 0 1 2 3 2 3 4 5 4 5 6 7 6 7 (local.get $red) (local.get $red)))
            (i32.const 4))
          (i16x8.shr_s
            (i16x8.add (local.get $luma_high) (i8x16.shuffle 8 9 8 9 10 11 10 11 12 13 12 13 14 15 14 15 (local.get $red) (local.get $red)))
            (i32.const 4))))
      ;; Bytes of two colours side by side, then pairs of them: B G R A.
      (local.set $bg_low (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $b) (local.get $g)))
      (local.set $bg_high (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $b) (local.get $g)))
      (local.set $ra_low
        (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $r) (v128.const i8x16 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255)))
      (local.set $ra_high
        (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $r) (v128.const i8x16 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255)))
      (v128.store
        (local.get $to)
        (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $bg_low) (local.get $ra_low)))
      (v128.store offset=16
        (local.get $to)
        (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $bg_low) (local.get $ra_low)))
      (v128.store offset=32
        (local.get $to)
        (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $bg_high) (local.get $ra_high)))
      (v128.store offset=48
        (local.get $to)
        (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $bg_high) (local.get $ra_high)))

      ;; The second row.
      (local.set $luma (v128.load (i32.add (i32.add (local.get $y) (local.get $width)) (local.get $x))))
      (local.set $luma_low
        (i16x8.add
          (i16x8.q15mulr_sat_s
            (i16x8.shl
              (i16x8.sub (i16x8.extend_low_i8x16_u (local.get $luma)) (v128.const i16x8 16 16 16 16 16 16 16 16))
              (i32.const 6))
            (v128.const i16x8 9539 9539 9539 9539 9539 9539 9539 9539))
          ;; A half, to round.
          (v128.const i16x8 8 8 8 8 8 8 8 8)))
      (local.set $luma_high
        (i16x8.add
          (i16x8.q15mulr_sat_s
            (i16x8.shl
              (i16x8.sub (i16x8.extend_high_i8x16_u (local.get $luma)) (v128.const i16x8 16 16 16 16 16 16 16 16))
              (i32.const 6))
            (v128.const i16x8 9539 9539 9539 9539 9539 9539 9539 9539))
          ;; A half, to round.
          (v128.const i16x8 8 8 8 8 8 8 8 8)))
      (local.set $to (i32.add (i32.add (local.get $out) (local.get $out_bytes)) (i32.shl (local.get $x) (i32.const 2))))
      (local.set $g
        (i8x16.narrow_i16x8_u
          (i16x8.shr_s
            (i16x8.add (local.get $luma_low) (i8x16.shuffle 0 1 0 1 2 3 2 3 4 5 4 5 6 7 6 7 (local.get $green) (local.get $green)))
            (i32.const 4))
          (i16x8.shr_s
            (i16x8.add (local.get $luma_high) (i8x16.shuffle 8 9 8 9 10 11 10 11 12 13 12 13 14 15 14 15 (local.get $green) (local.get $green)))
            (i32.const 4))))
      (local.set $b
        (i8x16.narrow_i16x8_u
          (i16x8.shr_s
            (i16x8.add (local.get $luma_low) (i8x16.shuffle 0 1 0 1 2 3 2 3 4 5 4 5 6 7 6 7 (local.get $blue) (local.get $blue)))
            (i32.const 4))
          (i16x8.shr_s
            (i16x8.add (local.get $luma_high) (i8x16.shuffle 8 9 8 9 10 11 10 11 12 13 12 13 14 15 14 15 (local.get $blue) (local.get $blue)))
            (i32.const 4))))
      (local.set $r
        (i8x16.narrow_i16x8_u
          (i16x8.shr_s
            (i16x8.add (local.get $luma_low) (i8x16.shuffle 0 1 0 1 2 3 2 3 4 5 4 5 6 7 6 7 (local.get $red) (local.get $red)))
            (i32.const 4))
          (i16x8.shr_s
            (i16x8.add (local.get $luma_high) (i8x16.shuffle 8 9 8 9 10 11 10 11 12 13 12 13 14 15 14 15 (local.get $red) (local.get $red)))
            (i32.const 4))))
      ;; Bytes of two colours side by side, then pairs of them: B G R A.
      (local.set $bg_low (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $b) (local.get $g)))
      (local.set $bg_high (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $b) (local.get $g)))
      (local.set $ra_low
        (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $r) (v128.const i8x16 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255)))
      (local.set $ra_high
        (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $r) (v128.const i8x16 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255)))
      (v128.store
        (local.get $to)
        (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $bg_low) (local.get $ra_low)))
      (v128.store offset=16
        (local.get $to)
        (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $bg_low) (local.get $ra_low)))
      (v128.store offset=32
        (local.get $to)
        (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $bg_high) (local.get $ra_high)))
      (v128.store offset=48
        (local.get $to)
        (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $bg_high) (local.get $ra_high)))

      (if (i32.lt_s (local.get $x) (local.get $last))
        (then
          (local.set $next (i32.add (local.get $x) (i32.const 16)))
          (local.set $x
            (select (local.get $next) (local.get $last) (i32.lt_s (local.get $next) (local.get $last))))
          (br $steps))))))
